import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PlanReport, StatusReport } from '../../../lib/controller/operations.ts';
import { type CodeHost, makeCodeHost } from '../../support/code-host.ts';
import { eventually } from '../../support/eventually.ts';
import { type CliResult, runCli } from '../../support/run-cli.ts';
import { type CardFolder, makeCardFolder } from './card-folder.ts';
import { formatWorkflow, type Policy } from './format-workflow.ts';
import { type HostProcess, startHostProcess } from './host-process.ts';
import { findProcesses, killQuietly } from './scene-processes.ts';
import { readLines, type TraceWatch, watchTrace } from './watch-trace.ts';

/**
 * Everything that a scenario plays on: boards, a repository, agents as shell scripts, and the command line as processes.
 * An agent is `agents/KEY.sh`, run in its checkout with the folder of the scene as `$SCENE`.
 */
export interface Scene extends TraceWatch {
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
    ...watchTrace(join(dataDir, 'trace.jsonl')),
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

function parseResult({ code, stdout, stderr }: CliResult): unknown {
  if (code !== 0) throw new Error(`The command failed with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}
