import type { Container, Task } from '@aws-sdk/client-ecs';
import type { Arn, Instant } from '../../core/issue.ts';
import type { Evidence } from '../../core/lease.ts';

/**
 * The evidence of a stopped task. The stop code says who ended it, the container's exit code how; the two are read
 * together: an exit code under a platform's stop code is only what the platform's signal left behind.
 */
export function endingOf(task: Task, arn: Arn, now: Instant): Evidence {
  const container = task.containers?.find(({ exitCode }) => exitCode !== undefined) ?? task.containers?.[0];
  const { exitCode, signal } = readExit(task, container);
  const stoppedAt = task.stoppedAt ?? task.executionStoppedAt ?? task.stoppingAt;
  return {
    arn,
    at: (stoppedAt?.getTime() ?? now) as Instant,
    exitCode,
    signal,
    cause: causeOf(task, container),
    ...(task.stopCode === 'UserInitiated' && task.stoppedReason === stopReason ? { asked: true } : {}),
    detail: describeEnding(task, container),
  };
}

/** Shown by the service as the reason of an end that was asked for; at most 255 characters there. */
export const stopReason = 'evenkeel asked the turn to end';

/** Who is not named here ended because of what it ran, or because somebody asked. */
const platformCodes: ReadonlySet<string> = new Set([
  'TaskFailedToStart',
  'SpotInterruption',
  'InfrastructureHealth',
  'TerminationNotice',
  'ServiceSchedulerInitiated',
]);

function causeOf({ stopCode }: Task, container: Container | undefined): Evidence['cause'] {
  if (platformCodes.has(stopCode ?? '')) return 'platform';
  if (container?.exitCode !== undefined) return 'exit';
  // Told by its token alone, a task that ended long ago says nothing but that.
  if (stopCode === undefined) return 'unknown';
  // The container never ran: the image could not be pulled, or the task was asked to stop before.
  return stopCode === 'EssentialContainerExited' ? 'platform' : 'exit';
}

/** A process that a signal ended is reported as 128 and the signal's number. */
const signals: Readonly<Record<number, string>> = {
  129: 'SIGHUP',
  130: 'SIGINT',
  131: 'SIGQUIT',
  134: 'SIGABRT',
  137: 'SIGKILL',
  139: 'SIGSEGV',
  141: 'SIGPIPE',
  143: 'SIGTERM',
};

function readExit(
  { stopCode }: Task,
  container: Container | undefined,
): Pick<Evidence, 'exitCode' | 'signal'> {
  const code = container?.exitCode;
  // Asked to end before its container ran: the request is all that it got.
  if (code === undefined)
    return { exitCode: undefined, signal: stopCode === 'UserInitiated' ? 'SIGTERM' : undefined };
  const signal = signals[code];
  return signal === undefined ? { exitCode: code, signal: undefined } : { exitCode: undefined, signal };
}

/** The platform's own words; nothing of what the agent printed is among them. */
function describeEnding({ stopCode, stoppedReason }: Task, container: Container | undefined): string {
  const exit = container?.exitCode === undefined ? undefined : `exit code ${container.exitCode}`;
  const parts = [stopCode, stoppedReason, container?.reason, exit].filter(
    (part) => part !== undefined && part !== '',
  );
  return parts.length === 0 ? 'the task has stopped; nothing more is known of it' : parts.join('; ');
}
