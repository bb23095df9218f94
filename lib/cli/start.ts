import { Option } from 'commander';
import { endOnSignals } from '../host/end-on-signals.ts';
import { findWorkflows } from '../host/find-workflows.ts';
import type { HostEnd } from '../host/host.ts';
import { layOutExample } from '../host/lay-out-example.ts';
import { startHost } from '../host/start-host.ts';
import { type CliContext, writeText } from './cli-context.ts';
import {
  addCommand,
  type Cli,
  dataOption,
  type ExitCode,
  run,
  secondsAsMs,
  wholeNumber,
  workflowOption,
} from './command.ts';
import { commandsFor } from './commands-for.ts';
import { formatJson } from './harmless-text.ts';
import { jsonNarrator } from './json-narrator.ts';
import type { Narrator, StartedWith } from './narrator.ts';
import { textNarrator } from './text-narrator.ts';
import { dataDirOf, type Target } from './with-operations.ts';

interface StartOptions extends Target {
  readonly workflow: readonly string[];
  readonly interval: number | undefined;
  readonly untilIdle?: boolean;
  readonly maxConcurrentAgents: number | undefined;
  readonly port: number | undefined;
  readonly passEnv: readonly string[];
  readonly logFormat: 'text' | 'json' | undefined;
  readonly json?: boolean;
}

/** `start`: serves one machine until it is ended. */
export function addStart(cli: Cli): void {
  addCommand(cli, {
    name: 'start',
    summary: 'keep agents level with the board on this machine, until Ctrl-C',
    description:
      'Serves one machine: looks at the board at least every --interval seconds, starts an agent turn for each active issue, hands finished work off, stops what was moved away. Without a workflow file an example is laid out in the data folder and served. Ctrl-C ends it cleanly; killed at any moment, the next start goes on where it was.',
    examples: [
      'evenkeel start',
      'evenkeel start --workflow path/WORKFLOW.md --max-concurrent-agents 2',
      'evenkeel start --until-idle --log-format json 2> trace.jsonl',
    ],
  })
    .addOption(workflowOption('serve the board of this file; repeat it for several boards'))
    .addOption(
      new Option(
        '--interval <seconds>',
        'look at the board at least this often (default: 5, or 60 where a board is not on this machine)',
      ).argParser(secondsAsMs(0.1, 3_600)),
    )
    .option(
      '--until-idle',
      'end once nothing runs and nothing is due; fails if an issue is parked then',
      false,
    )
    .option(
      '--max-concurrent-agents <n>',
      "turns at once over all boards, beside each board's own cap",
      wholeNumber(0, 1_000),
    )
    .option(
      '--port <port>',
      'port on loopback for turns, webhooks and commands (default: a free one)',
      wholeNumber(0, 65_535),
    )
    .addOption(
      new Option('--pass-env <name>', 'pass this variable to agents, such as the key of a model; repeatable')
        .argParser((name: string, names: readonly string[]) => [...names, name])
        .default([], 'none'),
    )
    .addOption(
      new Option(
        '--log-format <format>',
        'a story for people, or trace lines (default: text on a terminal, else json)',
      ).choices(['text', 'json']),
    )
    .addOption(dataOption())
    .action(run(cli, (options) => start(cli, options)));
}

async function start({ context }: Cli, options: StartOptions): Promise<ExitCode> {
  const narrator = makeNarrator(context, options);
  try {
    const end = await serve(context, options, narrator);
    if (options.json) writeText(context.stdout, formatJson(end));
    return end.kind === 'stopped' || (end.kind === 'idle' && end.trouble.length === 0) ? 0 : 1;
  } catch (error) {
    if (error instanceof Error && narrator.fail(error.message)) return 1;
    throw error;
  }
}

function makeNarrator({ stderr, now, cwd, env }: CliContext, { logFormat, data }: StartOptions): Narrator {
  const format = logFormat ?? (stderr.isTerminal ? 'text' : 'json');
  return format === 'json'
    ? jsonNarrator(stderr, now)
    : textNarrator(stderr, { now, cwd, command: commandsFor({ data }, env) });
}

async function serve({ cwd }: CliContext, options: StartOptions, narrator: Narrator): Promise<HostEnd> {
  const dataDir = dataDirOf(cwd, options);
  const { files, example } = await findWorkflows({ given: options.workflow, cwd, dataDir });
  const workflows = example ? [(await layOutExample(dataDir)).workflowFile] : files;
  const host = await startHost({
    dataDir,
    workflows,
    intervalMs: options.interval,
    maxConcurrentAgents: options.maxConcurrentAgents,
    port: options.port,
    untilIdle: options.untilIdle === true,
    passEnvironment: options.passEnv,
    onEvent: narrator.tell,
  });
  const stopListening = endOnSignals(host, narrator.leave);
  narrator.begin(host, { dataDir, intervalMs: host.intervalMs, example } satisfies StartedWith);
  const end = await host.ended;
  stopListening();
  narrator.end(end);
  return end;
}
