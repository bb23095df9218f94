import type { TickOutcome } from '../controller/operations.ts';
import { colorsOf, writeText } from './cli-context.ts';
import { addCommand, type Cli, dataOption, run, workflowOption } from './command.ts';
import { commandsFor, type WriteCommand } from './commands-for.ts';
import { formatJson, harmlessLine } from './harmless-text.ts';
import { renderPlan } from './render-plan.ts';
import { type Target, withOperations } from './with-operations.ts';

/** `tick`: one tick now. */
export function addTick(cli: Cli): void {
  addCommand(cli, {
    name: 'tick',
    summary: 'one tick now, and what it did',
    description:
      'Makes one tick now and prints what it decided. Beside a running host the host makes it. It fails when the tick could not do everything.',
    examples: ['evenkeel tick', 'evenkeel tick --json'],
  })
    .addOption(dataOption())
    .addOption(workflowOption('the board, where no host is running that knows it'))
    .action(run(cli, (options) => tick(cli, options)));
}

async function tick({ context }: Cli, options: Target & { readonly json?: boolean }): Promise<0 | 1> {
  const { outcome, hasHost } = await withOperations(context, options, async (operations, kind) => ({
    outcome: await operations.tick(),
    hasHost: kind === 'host',
  }));
  if (options.json) writeText(context.stdout, formatJson(outcome));
  else if (outcome.kind === 'done')
    writeText(context.stdout, renderPlan(outcome, colorsOf(context.stdout), context.now()));
  const started = hasHost ? 0 : countStarts(outcome);
  if (started > 0) writeText(context.stderr, describeStarts(started, commandsFor(options, context.env)));
  for (const problem of problemsOf(outcome)) writeText(context.stderr, `evenkeel: ${harmlessLine(problem)}`);
  return problemsOf(outcome).length === 0 ? 0 : 1;
}

function countStarts(outcome: TickOutcome): number {
  if (outcome.kind !== 'done') return 0;
  return outcome.boards.flatMap(({ decisions }) => decisions).filter(({ action }) => action === 'start')
    .length;
}

function describeStarts(count: number, command: WriteCommand): string {
  const turns = count === 1 ? 'The started turn waits' : `The ${count} started turns wait`;
  return `evenkeel: ${turns} up to 2 minutes for a host, because none is running: \`${command('start')}\` makes one.`;
}

function problemsOf(outcome: TickOutcome): readonly string[] {
  switch (outcome.kind) {
    case 'done':
      return outcome.complete || outcome.problems.length > 0
        ? outcome.problems
        : ['The tick could not do everything.'];
    case 'not-admitted':
      return ['No tick was made: another one is at work.'];
    case 'closed':
      return outcome.opened ? [] : [`Nothing starts yet: ${outcome.detail}.`];
  }
}
