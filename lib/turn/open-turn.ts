import { writeFile } from 'node:fs/promises';
import type { Instructions } from '../core/turn-protocol.ts';
import { type AgentUser, chooseAgentUser } from './agent-user.ts';
import { turnGit } from './git.ts';
import { readAccessSettings } from './git-access.ts';
import { isOutOfReach, keepOutOfReach } from './keep-out-of-reach.ts';
import { watchLease } from './lease-watch.ts';
import { processFamily } from './process-family.ts';
import { machineProcesses } from './process-table.ts';
import { repositoryAccess } from './repository-access.ts';
import type { StopSwitch } from './stop-switch.ts';
import type { Timing } from './timing.ts';
import type { Doing, Turn } from './turn.ts';
import type { TurnApi } from './turn-api-client.ts';
import type { TurnEnvironment } from './turn-environment.ts';
import { layOutFolder, lend } from './turn-folder.ts';
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
  const user = chooseAgentUser(environment.agentUid, environment.dir);
  log(tellUser(user));
  // What the agent may read besides what it owns must not depend on how the image was made.
  if (user !== undefined) process.umask(0o022);
  if (user !== undefined && !isOutOfReach(user, environment.dir))
    throw new Error(
      `The folder of the turn lies where user ${user.uid} can replace it; set TMPDIR to another.`,
    );
  const folder = await layOutFolder(environment.dir, user);
  await writeFile(folder.instructions, JSON.stringify(instructions), { mode: 0o600 });
  await writeFile(folder.prompt, instructions.prompt, { mode: 0o600 });
  await lend(folder.prompt, user);
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
    ...(user === undefined ? {} : { env: keepOutOfReach(user, process.env) }),
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
  const family = processFamily(environment.cookie, machineProcesses, user);
  return {
    environment,
    instructions,
    folder,
    user,
    timing,
    family,
    access,
    git,
    askForPlace: api.keepWork,
    lease,
    stop,
    log,
    print: outputLog(environment.turnId),
    doing,
    deadline,
  };
}

/** For whoever reads the log: what stands between the agent and this program. */
function tellUser(user: AgentUser | undefined): string {
  return user === undefined
    ? 'the agent runs as the same user as this program: it can read and change whatever this user can'
    : `the agent, hooks and gates run as user ${user.uid}: they can neither look into this program nor change what it keeps`;
}
