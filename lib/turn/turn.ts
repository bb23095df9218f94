import type { HeartbeatRequest, Instructions } from '../core/turn-protocol.ts';
import type { AgentUser } from './agent-user.ts';
import type { Git } from './git.ts';
import type { LeaseWatch } from './lease-watch.ts';
import type { ProcessFamily } from './process-family.ts';
import type { RepositoryAccess } from './repository-access.ts';
import type { StopSwitch } from './stop-switch.ts';
import type { Timing } from './timing.ts';
import type { TurnApi } from './turn-api-client.ts';
import type { TurnEnvironment } from './turn-environment.ts';
import type { TurnFolder } from './turn-folder.ts';
import type { OutputLog, TurnLog } from './turn-log.ts';

/** What every step of a running turn has in common. */
export interface Turn {
  readonly environment: TurnEnvironment;
  readonly instructions: Instructions;
  readonly folder: TurnFolder;
  /** As whom the agent, hooks and gates run; undefined where that is the turn program's own user. */
  readonly user: AgentUser | undefined;
  readonly timing: Timing;
  readonly family: ProcessFamily;
  readonly access: RepositoryAccess;
  readonly git: Git;
  /** Asks where a bundle of so many bytes may be left. */
  readonly askForPlace: TurnApi['keepWork'];
  readonly lease: LeaseWatch;
  readonly stop: StopSwitch;
  readonly log: TurnLog;
  /** For what is printed where the turn's files are gone with it. */
  readonly print: OutputLog;
  /** What the next heartbeat tells. */
  readonly doing: Doing;
  /** When the turn's own time is used up, on the monotonic clock. */
  readonly deadline: number;
}

export interface Doing {
  step: HeartbeatRequest['step'];
  progress: number;
}
