import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { PlanReport, StatusReport } from '../../../lib/controller/operations.ts';
import type { Fact } from '../../../lib/core/trace.ts';
import { parseTraceLine } from '../../../lib/core/trace-line.ts';
import { type CodeHost, makeCodeHost } from '../../support/code-host.ts';
import { eventually } from '../../support/eventually.ts';
import { type CliResult, runCli } from '../../support/run-cli.ts';
import { type CardFolder, makeCardFolder } from './card-folder.ts';
import { type HostProcess, startHostProcess } from './host-process.ts';

/**
 * Everything that a scenario plays on: boards, a repository, agents as shell scripts, and the command line as processes.
 * An agent is `agents/KEY.sh`, run in its checkout with the folder of the scene as `$SCENE`.
 */
export interface Scene {
  readonly dir: string;
  readonly dataDir: string;
  readonly repository: CodeHost;
  /** Lays out a board and its workflow file, which differs from the usual one by `policy`. */
  board(name: string, policy?: Policy): SceneBoard;
  /** What the agent of an issue does; `default` is everybody else's. */
  agent(key: string, script: string): void;
  /** Lets agents go on that wait for this gate. */
  open(gate: string): void;
  /** Waits until an agent says so. */
  heard(gate: string): Promise<void>;
  /** How often the agent of an issue was run. */
  runsOf(key: string): number;
  /** Starts a host on all boards and waits until it listens. */
  start(options?: SceneStart): Promise<HostProcess>;
  /** The same without waiting. */
  launch(options?: SceneStart): HostProcess;
  cli(...args: readonly string[]): Promise<CliResult>;
  status(): Promise<StatusReport>;
  plan(): Promise<PlanReport>;
  facts(): readonly Fact[];
  /** Waits for the first fact of a kind about an issue that `holds`. */
  fact(kind: Fact['fact'], key: string, holds?: (fact: Fact) => boolean): Promise<Fact>;
  /** Waits until this many more ticks have ended. */
  ticks(count: number): Promise<void>;
  /** Processes of this scene's turns: those whose environment, program or folder lies in it. */
  processes(): readonly number[];
  /** Ends every process, and fails when the trace shows a broken promise. */
  end(): Promise<void>;
}

export interface SceneBoard extends CardFolder {
  readonly workflow: string;
  /** Writes the workflow file anew. */
  setPolicy(policy: Policy): void;
}

/** Keys of a workflow file by section, and the prompt. */
export interface Policy {
  readonly tracker?: object;
  readonly agent?: object;
  readonly hooks?: object;
  readonly verify?: readonly string[];
  readonly prompt?: string;
}

export interface SceneStart {
  readonly args?: readonly string[];
  readonly shell?: string;
  readonly intervalSeconds?: number;
}

/** Every script can wait for the test and tell it something, and finds its issue's key in `$1`. */
const prelude = `
wait_for() { while [ ! -e "$SCENE/gates/$1" ]; do sleep 0.1; done; }
say() { : > "$SCENE/gates/$1"; }
work() { echo "work of $1" > "$1.txt"; }
`;

export function makeScene(): Scene {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'scene-')));
  const dataDir = join(dir, 'data');
  const boards: SceneBoard[] = [];
  const hosts: HostProcess[] = [];
  for (const folder of ['agents', 'gates', 'runs']) mkdirSync(join(dir, folder));
  const repository = makeCodeHost(dir);
  repository.push('main', { 'README.md': 'A repository to work on.\n' });
  const dispatch = `key=$(sed -n 's/^KEY=//p' "$EVENKEEL_PROMPT_FILE")
echo "$$" >> "$SCENE/runs/$key"
script="$SCENE/agents/$key.sh"
[ -e "$script" ] || script="$SCENE/agents/default.sh"
exec sh "$script" "$key"
`;
  writeFileSync(join(dir, 'agent.sh'), `SCENE='${dir}'; export SCENE\n${dispatch}`);

  const scene: Scene = {
    dir,
    dataDir,
    repository,
    board(name, policy = {}) {
      const workflow = join(dir, `${name}.workflow.md`);
      const setPolicy = (next: Policy) => writeFileSync(workflow, formatWorkflow(dir, name, next));
      setPolicy(policy);
      const board = { ...makeCardFolder(join(dir, name)), workflow, setPolicy };
      boards.push(board);
      return board;
    },
    agent: (key, script) => writeFileSync(join(dir, 'agents', `${key}.sh`), `${prelude}${script}\n`),
    open: (gate) => writeFileSync(join(dir, 'gates', gate), ''),
    async heard(gate) {
      await eventually(
        () => existsSync(join(dir, 'gates', gate)),
        (is) => is,
        40_000,
      );
    },
    runsOf: (key) => readLines(join(dir, 'runs', key)).length,
    launch({ args = [], shell, intervalSeconds = 1 } = {}) {
      const workflows = boards.flatMap(({ workflow }) => ['--workflow', workflow]);
      const slots = ['--max-concurrent-agents', '50'];
      const all = [...workflows, '--interval', String(intervalSeconds), ...slots, ...args];
      const host = startHostProcess({ cwd: dir, dataDir, args: all, shell });
      hosts.push(host);
      return host;
    },
    async start(options) {
      const host = scene.launch(options);
      await host.listening();
      return host;
    },
    cli: (...args) => runCli([...args, '--data', dataDir], { cwd: dir }),
    status: async () => parseResult(await scene.cli('status', '--json')) as StatusReport,
    plan: async () => parseResult(await scene.cli('plan', '--json')) as PlanReport,
    facts: () => readFacts(join(dataDir, 'trace.jsonl')),
    async fact(kind, key, holds = () => true) {
      const find = () => scene.facts().find((fact) => fact.fact === kind && fact.key === key && holds(fact));
      return (await eventually(find, (fact) => fact !== undefined, 40_000))!;
    },
    async ticks(count) {
      const ended = () => scene.facts().filter(({ fact }) => fact === 'tick-ended').length;
      const before = ended();
      await eventually(ended, (now) => now >= before + count, 40_000);
    },
    processes: () => findProcesses(dir),
    async end() {
      for (const host of hosts) await host.kill();
      for (const pid of scene.processes()) killQuietly(pid);
      const checked = existsSync(join(dataDir, 'trace.jsonl'))
        ? await runCli(['check-trace', join(dataDir, 'trace.jsonl')], { cwd: dir })
        : undefined;
      rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
      if (checked !== undefined && checked.code !== 0) throw new Error(checked.stdout + checked.stderr);
    },
  };
  scene.agent('default', 'work "$1"');
  return scene;
}

function formatWorkflow(dir: string, name: string, { tracker, agent, prompt, ...rest }: Policy): string {
  const front = {
    tracker: {
      kind: 'local',
      project: `./${name}`,
      active_states: ['Todo', 'In Progress'],
      in_progress_state: 'In Progress',
      handoff_state: 'In Review',
      terminal_states: ['Done', 'Cancelled'],
      ...tracker,
    },
    repository: './origin.git',
    agent: {
      kind: 'command',
      command: `sh ${dir}/agent.sh`,
      max_concurrent_agents: 20,
      max_failures: 1,
      max_no_progress: 1,
      max_retry_backoff_ms: 0,
      ...agent,
    },
    ...rest,
  };
  return `---\n${stringify(front)}---\n${prompt ?? 'KEY={{ issue.key }}'}\n`;
}

function parseResult({ code, stdout, stderr }: CliResult): unknown {
  if (code !== 0) throw new Error(`The command failed with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

function readFacts(path: string): readonly Fact[] {
  return readLines(path).flatMap((line) => {
    const parsed = parseTraceLine(line);
    return 'fact' in parsed ? [parsed.fact] : [];
  });
}

function readLines(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}

function findProcesses(dir: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => ['environ', 'cmdline'].some((file) => readQuietly(`/proc/${pid}/${file}`).includes(dir)))
    .map(Number);
}

function readQuietly(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
