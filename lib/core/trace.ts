import type { Instant } from './issue.ts';

/** What a trace line may tell, the closed list. */
export const factKinds = [
  'tick-started',
  'tick-ended',
  'contract-checked',
  'board-read',
  'issue-read',
  'claimed',
  'claim-confirmed',
  'launched',
  'launch-refused',
  'adopted',
  'turn-started',
  'heartbeat',
  'stop-asked',
  'stopped-seen',
  'ended',
  'settled',
  'write-intended',
  'written',
  'write-verified',
  'repaired',
  'released',
  'retry-scheduled',
  'parked',
  'reset',
  'forgotten',
  'hint',
  'refused',
  'alarm',
] as const;
export type FactKind = (typeof factKinds)[number];

/**
 * One line of the trace. Opaque ids, states and reasons only: never a secret, a prompt or an issue's text.
 *
 * A host may be killed between a write and the line that tells of it. So each step is told before the next one is taken,
 * and no kill leaves a hole in what the trace must show. What was *done* is told when it is stored and before anything
 * builds on it: `claimed` before the confirmation is read, `claim-confirmed` before the mark, `write-intended` before the
 * tracker is called, `write-verified` before the intent is cleared. What was *seen* and lets go of something is told before
 * it is let go: `stopped-seen` before the lease leaves running or stopping, `reset` before the park is removed, `forgotten`
 * before the lease is deleted.
 *
 * What the checker reads, each where it is known: `invocation`, `epoch` and `gen` on every fact of a tick; `valid` on
 * contract-checked; `live` (leases of the deployment that hold a slot) and `cap` on board-read; `role` of the state just
 * read on issue-read, or the `reason` why nothing was read; `from`, `to` and the `role` of `to` (`merged` for the merged
 * state) on write-intended and written; `arn` on turn-started and adopted; `until` on retry-scheduled.
 */
export interface Fact {
  readonly time: Instant;
  readonly fact: FactKind;
  readonly board?: string | undefined;
  readonly issue?: string | undefined;
  readonly key?: string | undefined;
  readonly turnId?: string | undefined;
  readonly attempt?: number | undefined;
  readonly epoch?: number | undefined;
  readonly actor?: string | undefined;
  readonly reason?: string | undefined;
  readonly [detail: string]: string | number | boolean | readonly string[] | undefined;
}
