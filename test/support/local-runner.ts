import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type LocalProcessOptions, localProcess } from '../../lib/adapters/local-process/local-process.ts';
import { processTable } from '../../lib/adapters/local-process/process-table.ts';
import type { TurnId } from '../../lib/core/issue.ts';
import type { RunnerUnderTest } from '../contracts/describe-runner.ts';
import { eventually } from './eventually.ts';

const fakeTurn = fileURLToPath(new URL('./fake-turn.mjs', import.meta.url));
let deployments = 0;

/** What the fake turn program noted when it began. */
export interface Begun {
  readonly pid: number;
  readonly stray?: number;
  readonly cleared?: number;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A data folder whose turns are real processes of the fake turn program, with the habits given. */
export async function localRunner(habits: readonly string[] = [], by: Partial<LocalProcessOptions> = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'evenkeel-runner-'));
  deployments += 1;
  const options: LocalProcessOptions = {
    dataDir,
    deployment: `test-${process.pid}-${Date.now()}-${deployments}`,
    program: [process.execPath, fakeTurn, dataDir, ...habits],
    hostFile: join(dataDir, 'host.json'),
    clock: { now: () => Date.now(), sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)) },
    leftoverGraceMs: 200,
    ...by,
  };
  const notes = (turnId: TurnId) => readBegun(join(dataDir, `${turnId}.begun`));
  const control = (name: string, text: string) => {
    writeFileSync(join(dataDir, `${name}.part`), text);
    renameSync(join(dataDir, `${name}.part`), join(dataDir, name));
  };

  const world = {
    runner: localProcess(options),
    begun: async (turnId: TurnId) => notes(turnId).length,
    finish: async (turnId: TurnId, exitCode: number) => {
      await eventually(
        () => notes(turnId),
        (lines) => lines.length > 0,
      );
      control(`${turnId}.finish`, String(exitCode));
    },
    letStopsTakeEffect: async () => control('stops-take-effect', ''),
    dispose: async () => {
      await killCarriers(`${options.deployment}.`);
      await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
    },
  } satisfies RunnerUnderTest;

  return {
    ...world,
    dataDir,
    options,
    fileOf: (turnId: TurnId, name: string) => join(dataDir, 'turns', turnId, name),
    control,
    has: (name: string) => existsSync(join(dataDir, name)),
    /** A host that starts over the same data folder, with a memory of its own. */
    restartedHost: (over: Partial<LocalProcessOptions> = {}) => localProcess({ ...options, ...over }),
    /** Waits until the turn program has begun, and tells what it noted. */
    untilBegun: async (turnId: TurnId) =>
      (
        await eventually(
          () => notes(turnId),
          (lines) => lines.length > 0,
        )
      )[0]!,
  };
}

function readBegun(path: string): readonly Begun[] {
  if (!existsSync(path)) return [];
  // What follows the last line end is a line in the making.
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Begun);
}

/** Whatever a test did, none of its processes outlives it. */
async function killCarriers(prefix: string): Promise<void> {
  const table = processTable();
  const carriers = async () => (await table.read()).filter(({ cookie }) => cookie?.startsWith(prefix));
  await eventually(
    async () => {
      const living = await carriers();
      for (const { pid } of living) process.kill(pid, 'SIGKILL');
      return living;
    },
    (living) => living.length === 0,
  );
}

/** Whether the process lives; a zombie does not. */
export async function isAlive(pid: number): Promise<boolean> {
  return (await processTable().read()).some((process) => process.pid === pid);
}
