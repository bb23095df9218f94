import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Operations } from '../controller/operations.ts';
import { isTurnId } from '../core/names.ts';
import { type CliContext, colorsOf, writeText } from './cli-context.ts';
import { addCommand, type Cli, run } from './command.ts';
import { commandsFor, type WriteCommand } from './commands-for.ts';
import { formatJson, harmlessBlock, harmlessLine } from './harmless-text.ts';
import { renderStep } from './render-step.ts';
import { addTargetOptions } from './target-options.ts';
import { type TurnLogs, turnLogs } from './turn-logs.ts';
import { dataDirOf, type Target, withOperations } from './with-operations.ts';

interface LogsOptions extends Target {
  readonly follow?: boolean;
  readonly json?: boolean;
}

/** `logs KEY`: what the latest turn of an issue wrote. */
export function addLogs(cli: Cli): void {
  addTargetOptions(
    addCommand(cli, {
      name: 'logs',
      summary: "what an issue's latest turn wrote",
      description:
        "Prints the logs of an issue's latest turn: its steps (runner.log), what the agent wrote (agent.log), and those of hooks and gates. --follow goes on until the turn has ended. The files lie in DIR/turns/TURNID. Of a turn in AWS they are in its log group, for as long as logs are kept there.",
      examples: [
        'evenkeel logs DEMO-1',
        'evenkeel logs DEMO-1 --follow',
        'evenkeel logs web#42 --stack evenkeel',
      ],
    })
      .argument('<key>', 'the key of the issue, as on the board')
      .option('--follow', 'go on until the turn has ended'),
  ).action(run(cli, (key: string, options) => logs(cli, key, options)));
}

async function logs({ context }: Cli, key: string, options: LogsOptions): Promise<0 | 1> {
  const { stack } = options;
  if (stack !== undefined) return logsOfStack(context, key, { ...options, stack });
  const turnId = await withOperations(context, options, (operations) => findLatestTurn(operations, key));
  if (turnId === undefined) throw noTurn(key, commandsFor(options, context.env));
  const folder = join(dataDirOf(context.cwd, options), 'turns', turnId);
  if (!existsSync(folder)) {
    throw new Error(`The logs of turn ${turnId} are gone: ${folder} does not exist any more.`);
  }
  await printLogs(turnLogs(folder), context, turnId, options);
  return 0;
}

async function logsOfStack(
  context: CliContext,
  key: string,
  options: LogsOptions & { readonly stack: string },
): Promise<0 | 1> {
  const [{ withStack }, { findStackLogs }] = await Promise.all([
    import('./stack/open-stack.ts'),
    import('./stack/stack-logs.ts'),
  ]);
  const command = commandsFor(options);
  await withStack(options, context, async (stack) => {
    const found = await findStackLogs(stack, key, command);
    if (found === undefined) throw noTurn(key, command);
    const lines = await printLogs(found.logs, context, found.turnId, options);
    if (lines > 0) return;
    writeText(
      context.stderr,
      `evenkeel: Turn ${harmlessLine(found.turnId)} has printed nothing yet, or its log is older than logs are kept.`,
    );
  });
  return 0;
}

function noTurn(key: string, command: WriteCommand): Error {
  const issue = harmlessLine(key);
  return new Error(`No turn of ${issue} is known. \`${command('explain', issue)}\` says why it has none.`);
}

/** The turn at work, else the one that ended last. */
async function findLatestTurn(operations: Operations, key: string): Promise<string | undefined> {
  const { running } = await operations.status();
  const live = running.find((turn) => turn.key === key)?.turnId;
  const turnId = live ?? (await operations.history(key)).at(-1)?.turnId;
  return turnId !== undefined && isTurnId(turnId) ? turnId : undefined;
}

/** Answers how many lines there were. */
async function printLogs(
  turn: TurnLogs,
  context: CliContext,
  turnId: string,
  { follow, json }: LogsOptions,
): Promise<number> {
  let printed = 0;
  const print = json ? jsonPrinter(context, turnId) : textPrinter(context);
  for (;;) {
    // Asked before the files are read, so that nothing written at the end is missed.
    const isLast = !follow || (await turn.hasEnded());
    for await (const { name, lines } of turn.readNew(isLast)) {
      print(name, lines);
      printed += lines.length;
    }
    if (isLast) return printed;
    await new Promise((resolve) => setTimeout(resolve, turn.pollMs));
  }
}

/** Each file under its name, as `tail` does it. */
function textPrinter({ stdout }: CliContext) {
  const colors = colorsOf(stdout);
  let last: string | undefined;
  return (name: string, lines: readonly string[]): void => {
    const gap = last === undefined ? '' : '\n';
    if (last !== name) writeText(stdout, gap + colors.bold(`==> ${harmlessLine(name)} <==`));
    last = name;
    const shown = name === 'runner.log' ? lines.map(renderStep) : lines.map(harmlessBlock);
    writeText(stdout, shown.join('\n'));
  };
}

/** One object for each line. */
function jsonPrinter({ stdout }: CliContext, turnId: string) {
  return (log: string, lines: readonly string[]): void => {
    for (const line of lines) writeText(stdout, formatJson({ turnId, log, line }, 0));
  };
}
