import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fact } from '../../lib/core/trace.ts';
import { parseTraceLine } from '../../lib/core/trace-line.ts';
import { type Connection, connectOperations } from '../../lib/host/connect-operations.ts';
import { makeExampleRepository } from '../../lib/host/example-repository.ts';
import type { Host, HostEvent, HostOptions } from '../../lib/host/host.ts';
import { startHost } from '../../lib/host/start-host.ts';
import { eventually } from './eventually.ts';
import { type HostProcess, type MachineUser, spawnHost } from './spawn-host.ts';

export interface WatchedHost extends Host {
  readonly events: readonly HostEvent[];
}

/** One machine as a user has it: a folder of issues, a repository, a workflow file and a data folder. */
export interface HostWorld {
  readonly root: string;
  readonly dataDir: string;
  readonly board: string;
  readonly repository: string;
  readonly workflowFile: string;
  writeWorkflow(agent?: AgentFields): void;
  addIssue(key: string, state: string, more?: string): void;
  move(key: string, state: string): void;
  stateOf(key: string): string | undefined;
  branches(): readonly string[];
  /** Whether an agent left a file of this name in the world's folder. */
  has(name: string): boolean;
  put(name: string): void;
  trace(): readonly Fact[];
  /** A host in this process. */
  start(options?: Partial<HostOptions>): Promise<WatchedHost>;
  /** A host as a process of its own, started from the bundle. */
  spawn(args?: readonly string[], user?: MachineUser): HostProcess;
  connect(planWith?: readonly string[]): Promise<Connection>;
  end(): Promise<void>;
}

export interface AgentFields {
  /** A shell line, in which ROOT is the world's folder: what an agent leaves there tells the test about it. */
  readonly command?: string;
  /** Further lines of front matter. */
  readonly more?: string;
  readonly agentMore?: string;
}

/** Writes one file and is done. */
export const quickAgent = 'cat > /dev/null; echo done > work.txt';

export async function makeHostWorld(agent: AgentFields = {}): Promise<HostWorld> {
  const root = mkdtempSync(join(tmpdir(), 'host-'));
  const [board, repository, dataDir] = ['board', 'repository.git', 'data'].map((name) =>
    join(root, name),
  ) as [string, string, string];
  const workflowFile = join(root, 'WORKFLOW.md');
  mkdirSync(board);
  writeFileSync(
    join(board, 'board.yaml'),
    'states: [Backlog, Todo, In Progress, In Review, Done, Cancelled]\n',
  );
  await makeExampleRepository(repository, { 'README.md': 'A repository.\n' });
  const hosts: WatchedHost[] = [];
  const processes: HostProcess[] = [];
  const fileOf = (key: string) => join(board, `${key}.md`);

  const world: HostWorld = {
    root,
    dataDir,
    board,
    repository,
    workflowFile,
    writeWorkflow: (fields = {}) => writeFileSync(workflowFile, workflowText(fields, root)),
    addIssue: (key, state, more = '') =>
      writeFileSync(fileOf(key), `---\ntitle: Issue ${key}\nstate: ${state}\n${more}---\nPlease.\n`),
    move: (key, state) =>
      writeFileSync(
        fileOf(key),
        readFileSync(fileOf(key), 'utf8').replace(/^state: .*$/m, `state: ${state}`),
      ),
    stateOf: (key) => /^state: (.*)$/m.exec(readFileSync(fileOf(key), 'utf8'))?.[1],
    branches: () => listBranches(repository),
    has: (name) => existsSync(join(root, name)),
    put: (name) => writeFileSync(join(root, name), ''),
    trace: () => readTrace(join(dataDir, 'trace.jsonl')),
    start: async (options = {}) => {
      const host = await startWatched(world, options);
      hosts.push(host);
      return host;
    },
    spawn: (args = [], user = undefined) => {
      const host = spawnHost(world, args, user);
      processes.push(host);
      return host;
    },
    connect: (planWith) => connectOperations({ dataDir, workflowFiles: [workflowFile], planWith }),
    end: async () => {
      for (const { child } of processes) child.kill('SIGKILL');
      await Promise.all(hosts.map((host) => host.stop()));
      await Promise.all(processes.map(({ ended }) => ended));
      endTurnsOf(dataDir);
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  world.writeWorkflow(agent);
  return world;
}

function workflowText(
  { command = quickAgent, more = '', agentMore = '' }: AgentFields,
  root: string,
): string {
  return `---
tracker:
  kind: local
  project: board
  terminal_states: [Done, Cancelled]
repository: ./repository.git
agent:
  kind: command
  command: ${JSON.stringify(command.replaceAll('ROOT', root))}
${agentMore}${more}---
Work on {{ issue.key }}: {{ issue.title }}
`;
}

async function startWatched(world: HostWorld, options: Partial<HostOptions>): Promise<WatchedHost> {
  const events: HostEvent[] = [];
  const host = await startHost({
    dataDir: world.dataDir,
    workflows: [world.workflowFile],
    intervalMs: 300,
    maxConcurrentAgents: undefined,
    port: undefined,
    untilIdle: false,
    onEvent: (event) => events.push(event),
    ...options,
  });
  return { ...host, events };
}

function listBranches(repository: string): readonly string[] {
  const names = execFileSync('git', [
    '-C',
    repository,
    'for-each-ref',
    '--format=%(refname:short)',
    'refs/heads',
  ]);
  return String(names)
    .split('\n')
    .filter((name) => name !== '');
}

function readTrace(path: string): readonly Fact[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.flatMap((line) => {
    const parsed = parseTraceLine(line);
    return 'fact' in parsed ? [parsed.fact] : [];
  });
}

/** Turns outlive their hosts; no test leaves one behind. */
function endTurnsOf(dataDir: string): void {
  for (const pid of pidsOf(dataDir)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended meanwhile.
    }
  }
}

/** Every process that belongs to a turn of this data folder, known by the cookie in its environment. */
export function pidsOf(dataDir: string): readonly number[] {
  const file = join(dataDir, 'deployment.json');
  if (!existsSync(file)) return [];
  const { deployment } = JSON.parse(readFileSync(file, 'utf8'));
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => environmentOf(pid).includes(`EVENKEEL_COOKIE=${deployment}.`))
    .map(Number);
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return '';
  }
}

/** Waits until an issue stands in a state. */
export async function standsIn(world: HostWorld, key: string, state: string): Promise<void> {
  await eventually(
    () => world.stateOf(key),
    (found) => found === state,
  );
}

/** Waits until an agent or a test has left a file in the world's folder. */
export async function appears(world: HostWorld, name: string): Promise<void> {
  await eventually(
    () => world.has(name),
    (there) => there,
  );
}
