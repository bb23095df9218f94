import { writeFile } from 'node:fs/promises';
import type { Instructions } from '../core/turn-protocol.ts';
import { turnGit } from './git.ts';
import { readAccessSettings } from './git-access.ts';
import { watchLease } from './lease-watch.ts';
import { processFamily } from './process-family.ts';
import { repositoryAccess } from './repository-access.ts';
import type { StopSwitch } from './stop-switch.ts';
import type { Timing } from './timing.ts';
import type { Doing, Turn } from './turn.ts';
import type { TurnApi } from './turn-api-client.ts';
import type { TurnEnvironment } from './turn-environment.ts';
import { layOutFolder } from './turn-folder.ts';
import { outputLog, type TurnLog } from './turn-log.ts';

/** What a turn has before it knows what it is about. */
export interface Boot {
  readonly environment: TurnEnvironment;
  readonly api: TurnApi;
  readonly stop: StopSwitch;
  readonly timing: Timing;
  readonly log: TurnLog;
}

/** Sets up everything that the steps of a turn have in common, and begins to watch the lease. Throws when it cannot. */
export async function openTurn(boot: Boot, instructions: Instructions): Promise<Turn> {
  const { environment, timing, stop, log, api } = boot;
  const folder = await layOutFolder(environment.dir);
  await writeFile(folder.instructions, JSON.stringify(instructions), { mode: 0o600 });
  await writeFile(folder.prompt, instructions.prompt, { mode: 0o600 });
  const access = repositoryAccess({
    repository: instructions.repository,
    settings: await readAccessSettings(),
    ask: api.gitToken,
    timing,
    stop,
    log,
  });
  const git = turnGit({
    gitDir: folder.repository,
    cookie: environment.cookie,
    access,
    timeoutMs: timing.gitMs,
    signal: stop.hurry,
  });
  const doing: Doing = { step: 'workspace', progress: 0 };
  stop.stopping.addEventListener('abort', () => {
    doing.step = 'stopping';
    log('turn stops', { cause: stop.reason()?.cause });
  });
  const lease = watchLease({
    beat: () => api.heartbeat({ ...doing }),
    heartbeatMs: instructions.heartbeatMs,
    patienceMs: timing.silencePatienceMs,
    stop,
  });
  const deadline = performance.now() + instructions.agent.turn_timeout_ms;
  const family = processFamily(environment.cookie);
  return {
    environment,
    instructions,
    folder,
    timing,
    family,
    access,
    git,
    lease,
    stop,
    log,
    print: outputLog(environment.turnId),
    doing,
    deadline,
  };
}
