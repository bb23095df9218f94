import type { Instant } from './issue.ts';
import type { Lease } from './lease.ts';
import type { LedgerUpdate } from './lease-write.ts';
import type { TaskState, Timing } from './observation.ts';

/**
 * What may be concluded from not hearing of a turn. Silence is measured between ticks and asks for a stop; a task that
 * the runner does not know is believed gone only after many ticks, a long time, and no heartbeat meanwhile.
 */
export interface Silence {
  readonly lease: Lease;
  readonly timing: Timing;
  readonly now: Instant;
}

export function isStale({ lease, timing, now }: Silence): boolean {
  const heardAt = lease.hb === lease.hbSeen ? lease.hbSeenAt : undefined;
  return heardAt !== undefined && Math.max(heardAt, timing.servedSince ?? 0) + timing.staleMs <= now;
}

export function noteHeartbeat({ lease, now }: Silence): LedgerUpdate | undefined {
  return lease.hb === lease.hbSeen && lease.hbSeenAt !== undefined
    ? undefined
    : { set: { hbSeen: lease.hb ?? 0, hbSeenAt: now }, remove: [] };
}

/** MISSING is believed only after many ticks, a long time, and no heartbeat meanwhile. */
export function isGone({ lease, timing, now }: Silence): boolean {
  const missing = lease.missing;
  return (
    missing !== undefined &&
    missing.hb === (lease.hb ?? 0) &&
    missing.count >= timing.goneSightings &&
    missing.since + timing.goneAfterMs <= now
  );
}

export function noteMissing({ lease, now }: Silence, task: TaskState | undefined): LedgerUpdate | undefined {
  if (task === undefined) return undefined;
  if (task.kind !== 'missing')
    return lease.missing === undefined ? undefined : { set: {}, remove: ['missing'] };
  const before = lease.missing?.hb === (lease.hb ?? 0) ? lease.missing : undefined;
  const missing = {
    since: before?.since ?? now,
    count: (before?.count ?? 0) + 1,
    hb: lease.hb ?? 0,
    lastAt: now,
  };
  return { set: { missing }, remove: [] };
}

export function mergeNotes(...notes: readonly (LedgerUpdate | undefined)[]): LedgerUpdate | undefined {
  const present = notes.filter((note) => note !== undefined);
  if (present.length === 0) return undefined;
  return {
    set: Object.assign({}, ...present.map((note) => note.set)),
    remove: present.flatMap((note) => note.remove),
  };
}
