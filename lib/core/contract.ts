import type { StateName, TrackerState } from './issue.ts';

/** The last contract that held, with the tracker's own ids of its states, so that a rename reads as a rename. */
export interface ContractRecord {
  readonly policyHash: string;
  readonly states: readonly TrackerState[];
  readonly active: readonly StateName[];
  readonly inProgress: StateName | undefined;
  readonly handoff: StateName | undefined;
  readonly terminal: readonly StateName[];
  readonly merged: StateName | undefined;
}
