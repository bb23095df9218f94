import { refused } from '../writes/item-book.ts';
import { noOperands, type SentWrite } from '../writes/lease-writes.ts';
import type { Operands, Operation } from '../writes/write-makers.ts';
import type { LeaseWorld } from './lease-model.ts';
import type { LeaseState } from './lease-state.ts';

export type AskedWrite = { readonly operation: Operation } & Partial<Operands>;

export interface Landed {
  readonly state: LeaseState;
  readonly done: boolean;
  readonly fault: string | undefined;
}

/** Makes a conditional write on the lease. Whoever saw the item before has seen an older version then. */
export function land({ leases }: LeaseWorld, state: LeaseState, asked: AskedWrite): Landed {
  const write = leases.make(asked.operation, asked);
  const lease = write.on(state.lease);
  if (lease === refused) return { state, done: false, fault: undefined };
  return { done: true, fault: write.faultOn(state.lease), state: { ...withOlderSight(state), lease } };
}

/** Sends a conditional write on its way: it lands at any later time, or never. */
export function sendLate(state: LeaseState, asked: AskedWrite): LeaseState {
  const write: SentWrite = { ...noOperands, ...asked };
  return { ...state, late: [...state.late, write] };
}

/** Spends one of the faults that may still happen. */
export function withFault(state: LeaseState): LeaseState {
  return { ...state, faults: state.faults - 1 };
}

function withOlderSight(state: LeaseState): LeaseState {
  const isAbout = ({ operation, seen }: { readonly operation: Operation; readonly seen: string }) =>
    (operation === 'claim' || operation === 'reset' || operation === 'intent-of-merge') && seen !== 'stale';
  const runs = state.runs.map((run) =>
    (run.at === 'writes' || run.at === 'finds it merged') && isAbout(run)
      ? ({ ...run, seen: 'stale' } as const)
      : run,
  );
  const late = state.late.map((write) => (isAbout(write) ? ({ ...write, seen: 'stale' } as const) : write));
  return { ...state, runs, late };
}
