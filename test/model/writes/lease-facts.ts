import type { Lease, Phase } from '../../../lib/core/lease.ts';
import { type Column, columns } from './stand-ins.ts';

/** What the models read of a lease, as small numbers; 0 and `none` where there is nothing. */
export interface LeaseFacts {
  readonly phase: Phase | 'none';
  readonly turn: number;
  readonly epoch: number;
  /** The container that is named as the live one. */
  readonly container: number;
  readonly isBound: boolean;
  readonly ender: number;
  readonly startedFrom: Column;
  readonly writtenState: Column;
  readonly pending:
    | { readonly intent: number; readonly turn: number; readonly to: Column; readonly isStamped: boolean }
    | undefined;
}

export function factsOf(lease: Lease | undefined): LeaseFacts {
  const pending = lease?.pending;
  return {
    phase: lease?.phase ?? 'none',
    turn: numberIn(lease?.turnId),
    epoch: lease?.epoch ?? 0,
    container: numberIn(lease?.liveArn),
    isBound: lease?.boot !== undefined,
    ender: numberIn(lease?.ender),
    startedFrom: columnIn(lease?.startedFrom),
    writtenState: columnIn(lease?.writtenState),
    pending: pending && {
      intent: numberIn(pending.by),
      turn: numberIn(pending.turnId),
      to: columnIn(pending.to),
      isStamped: pending.seenAt !== undefined,
    },
  };
}

export function numberIn(name: string | undefined): number {
  return Number(/\d+/.exec(name ?? '')?.[0] ?? 0);
}

function columnIn(name: string | undefined): Column {
  return columns.find((column) => column === name) ?? 'none';
}
