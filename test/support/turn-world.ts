import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Instructions, instructionsSchema, type TurnResult } from '../../lib/core/turn-protocol.ts';
import type { Timing } from '../../lib/turn/timing.ts';
import { type CodeHost, makeCodeHost } from './code-host.ts';
import { startTurnApiServer, type TurnApiServer } from './turn-api-server.ts';

/** A turn's surroundings: a code host, a turn API, a folder, and the turn program as its users run it. */
export interface TurnWorld {
  readonly host: CodeHost;
  readonly api: TurnApiServer;
  /** The turn's own folder. */
  readonly dir: string;
  readonly cookie: string;
  /** What the next `start` is answered with. */
  readonly instructions: Instructions;
  /** A folder outside of the turn's, for what an agent or a hook leaves as a trace. */
  readonly traces: string;
  start(options?: StartOptions): RunningTurn;
  /** Starts the program and waits for its end. */
  run(options?: StartOptions): Promise<EndedTurn>;
  /** Everything that carries the turn's cookie now. */
  alive(): readonly number[];
  end(): Promise<void>;
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Runs the program with less patience. */
  readonly hasty?: Partial<Timing>;
}

export interface RunningTurn {
  readonly pid: number;
  readonly ended: Promise<EndedTurn>;
  signal(name: NodeJS.Signals): void;
}

export interface EndedTurn {
  readonly exitCode: number | null;
  /** The result that the turn API recorded. */
  readonly result: TurnResult | undefined;
  /** The result that lies in the folder. */
  readonly outcome: TurnResult | undefined;
  readonly log: string;
}

const turnId = '1-abcdefghijklmnopqrstuvwxyz';
export const ticket = 'ticket-of-the-turn-0123456789';

export async function makeTurnWorld(changes: InstructionChanges = {}): Promise<TurnWorld> {
  const root = mkdtempSync(join(tmpdir(), 'turn-'));
  const [dir, traces] = ['turn', 'traces'].map((name) => join(root, name)) as [string, string];
  mkdirSync(dir);
  mkdirSync(traces);
  const host = makeCodeHost(root);
  const instructions = makeInstructions(host.address, changes);
  const api = await startTurnApiServer(root, () => ({ answer: 'go', instructions }));
  const cookie = `test.${turnId}.${randomBytes(16).toString('hex')}`;
  const world: TurnWorld = {
    host,
    api,
    dir,
    cookie,
    instructions,
    traces,
    start: (options = {}) => startProgram(world, options),
    run: (options) => world.start(options).ended,
    alive: () => findCarriers(cookie),
    async end() {
      for (const pid of findCarriers(cookie)) process.kill(pid, 'SIGKILL');
      await api.goAway();
      rmSync(root, { recursive: true, force: true, maxRetries: 3 });
    },
  };
  return world;
}

export interface InstructionChanges extends Partial<Omit<Instructions, 'agent' | 'hooks'>> {
  readonly command?: string;
  readonly agent?: Partial<Instructions['agent']>;
  readonly hooks?: Partial<Instructions['hooks']>;
}

function makeInstructions(
  repository: string,
  { command, agent, hooks, ...rest }: InstructionChanges,
): Instructions {
  return instructionsSchema.parse({
    board: 'local:board',
    key: 'web-1',
    turnId,
    attempt: 1,
    repository,
    base: 'main',
    branch: 'evenkeel/issue/web-1',
    wipBranch: 'evenkeel/wip/web-1',
    prompt: 'Please do what the issue says.\n',
    agent: { kind: 'command', command, turn_timeout_ms: 30_000, stall_timeout_ms: 20_000, ...agent },
    hooks: { timeout_ms: 10_000, ...hooks },
    verify: [],
    deny_paths: ['.github/workflows/**'],
    heartbeatMs: 100,
    ...rest,
  });
}

function startProgram(world: TurnWorld, { env = {}, hasty }: StartOptions): RunningTurn {
  const program =
    hasty === undefined
      ? [fromRoot('dist/turn.js')]
      : ['--import', fromRoot('node_modules/tsx/dist/loader.mjs'), fromRoot('test/support/hasty-turn.ts')];
  const child = spawn(process.execPath, program, {
    cwd: world.dir,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      EVENKEEL_TURN_ID: turnId,
      EVENKEEL_TURN_DIR: world.dir,
      EVENKEEL_TICKET: ticket,
      EVENKEEL_COOKIE: world.cookie,
      EVENKEEL_TURN_API: world.api.hostFile,
      HASTY_TIMING: JSON.stringify(hasty ?? {}),
      ...env,
    },
  });
  return { pid: child.pid ?? 0, ended: waitForEnd(world, child), signal: (name) => void child.kill(name) };
}

async function waitForEnd(world: TurnWorld, child: ChildProcess): Promise<EndedTurn> {
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (log += chunk));
  const exitCode = await new Promise<number | null>((resolve) => child.on('close', resolve));
  const outcome = join(world.dir, 'outcome.json');
  return {
    exitCode,
    result: world.api.heard.result.at(-1),
    outcome: existsSync(outcome) ? (JSON.parse(readFileSync(outcome, 'utf8')) as TurnResult) : undefined,
    log,
  };
}

/** Waits until the condition holds; fails when it does not within the deadline. */
export async function until(what: string, holds: () => boolean, deadlineMs = 15_000): Promise<void> {
  const deadline = Date.now() + deadlineMs;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`not within ${deadlineMs} ms: ${what}`);
    await sleep(20);
  }
}

/** Whether there is such a process that still does something: nobody may have taken note of its end. */
export function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

function findCarriers(cookie: string): readonly number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`EVENKEEL_COOKIE=${cookie}`);
    } catch {
      return false;
    }
  });
}

function fromRoot(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}
