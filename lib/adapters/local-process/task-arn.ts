import type { Arn } from '../../core/issue.ts';

/**
 * The name of one process for ever: `bootId:pid:startTicks`. A pid comes round again, and so do start times after a
 * reboot; the three together do not.
 */
export function taskArn(bootId: string, pid: number, start: string): Arn {
  return `${bootId}:${pid}:${start}` as Arn;
}

/** The parts of a name that `taskArn` made; undefined for any other text. */
export function readTaskArn(arn: string) {
  const [, bootId, pid, start] = /^([^:]+):([0-9]+):([0-9]+)$/.exec(arn) ?? [];
  if (bootId === undefined || pid === undefined || start === undefined) return undefined;
  return { bootId, pid: Number(pid), start };
}
