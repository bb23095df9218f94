import type { Instant } from './issue.ts';

/** What a trace line may tell, the closed list. */
export const factKinds = [
  'tick-started', 'tick-ended', 'contract-checked', 'board-read', 'issue-read', 'claimed', 'claim-confirmed', 'launched',
  'launch-refused', 'adopted', 'turn-started', 'heartbeat', 'stop-asked', 'stopped-seen', 'ended', 'settled',
  'write-intended', 'written', 'write-verified', 'repaired', 'released', 'retry-scheduled', 'parked', 'reset', 'hint',
  'refused', 'alarm',
] as const;
export type FactKind = (typeof factKinds)[number];

/** One line of the trace. Opaque ids, states and reasons only: never a secret, a prompt or an issue's text. */
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
