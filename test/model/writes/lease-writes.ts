import type { Change } from '../../../lib/core/change.ts';
import { type Lease, legalTransitions, type Phase, type Transition } from '../../../lib/core/lease.ts';
import { below, flag, oneOf, struct, type ValueOf } from '../search/codec.ts';
import { type BookWrite, type ItemBook, itemBook, refused } from './item-book.ts';
import { factsOf, type LeaseFacts, numberIn } from './lease-facts.ts';
import {
  announcementOf,
  arnOf,
  bootOf,
  columns,
  emptyLease,
  invocationOf,
  type Sight,
  sights,
  storedVersion,
  turnIdOf,
} from './stand-ins.ts';
import { type Operands, type Operation, operations, writeMakers } from './write-makers.ts';

/** How a mutant breaks the product's own writes. */
export type Broken<Name extends string, Item> = Partial<
  Readonly<Record<Name, (change: Change<Item>) => Change<Item>>>
>;

export interface LeaseWrites extends ItemBook<Lease> {
  /** The product's write. Asked twice for the same one it gives the same one. */
  make(operation: Operation, operands: Partial<Operands>): BookWrite;
  /** What stands in the lease with this number. */
  facts(lease: number): LeaseFacts;
  /** The number of an item that nobody has claimed yet. */
  readonly idle: number;
  /** The lease with another epoch of its claim and another name of who ends it. `key`, below 2^18, stands for the renaming. */
  renamed(lease: number, key: number, to: Renaming): number;
  /** The lease with its turn, and that turn's container, under another number. */
  withTurn(lease: number, turn: number): number;
  /** The transitions that were taken: `from to operation`. */
  readonly taken: ReadonlySet<string>;
}

/** A write that is on its way, as a state holds it. */
export const writeCodec = struct({
  operation: oneOf(operations),
  turn: below(8),
  container: below(8),
  by: below(64),
  intent: below(8),
  other: below(8),
  column: oneOf(columns),
  landed: flag,
  seen: oneOf(sights),
});
export type SentWrite = ValueOf<typeof writeCodec>;

export interface Renaming {
  readonly epoch?: (epoch: number) => number;
  readonly run?: (run: number) => number;
  readonly intent?: (intent: number) => number;
}

/** Takes the tests of these fields out of a write's condition. */
export function without(...fields: readonly string[]) {
  return <Item>(change: Change<Item>): Change<Item> => ({
    ...change,
    when: change.when.map((tests) => tests.filter(({ field }) => !fields.includes(field))),
  });
}

export const noOperands: Operands = {
  turn: 0,
  container: 0,
  by: 0,
  intent: 0,
  other: 0,
  column: 'none',
  landed: false,
  seen: 'none' satisfies Sight,
};

/** The conditional writes of leases, made and evaluated by the product on the product's own items. */
export function leaseWrites(broken: Broken<Operation, Lease> = {}): LeaseWrites {
  const taken = new Set<string>();
  const made = new Map<number, BookWrite>();
  const book = itemBook<Lease>(tidyLease, (before, after, change) => {
    const from = before?.phase ?? 'none';
    taken.add(`${from} ${after.phase} ${change.operation}`);
    return illegalMove(from, after, change);
  });

  const facts: (LeaseFacts | undefined)[] = [];
  const factsAt = (lease: number): LeaseFacts => {
    facts[lease] ??= factsOf(book.item(lease));
    return facts[lease];
  };

  return {
    ...book,
    taken,
    idle: book.numberOf(emptyLease),
    facts: factsAt,
    make(operation, some) {
      const key = keyOf(operation, some);
      const known = made.get(key);
      if (known !== undefined) return known;
      const operands = { ...noOperands, ...some };
      const { change, mine } = writeMakers[operation](operands);
      const title = titleOf(operation, operands);
      const write = book.write(title, broken[operation]?.(change) ?? change, mine);
      const faultOn = (lease: number) =>
        write.on(lease) === refused
          ? undefined
          : (fencedFault(operation, operands, factsAt(lease)) ?? write.faultOn(lease));
      const fenced = { ...write, faultOn };
      made.set(key, fenced);
      return fenced;
    },
    withTurn: (lease, turn) => book.amend(lease, turn, (item) => retell(item, turn)),
    renamed: (lease, key, to) => book.amend(lease, 8 + key, (item) => rename(item, to)),
  };
}

/** A write changes only the turn that it is about, and a write that was decided from an older item changes nothing. */
function fencedFault(operation: Operation, { turn, seen }: Operands, before: LeaseFacts): string | undefined {
  switch (operation) {
    case 'claim':
    case 'reset':
    case 'intent-of-merge':
      return seen === 'stale' && before.phase !== 'none'
        ? `UNSEEN CHANGE OVERWRITTEN: ${operation}`
        : undefined;
    case 'adopt':
      return undefined;
    case 'stamp-intent':
    case 'take-over-intent':
    case 'clear-intent':
      return before.pending?.turn === turn ? undefined : `WRITE ON ANOTHER TURN: ${operation}`;
    default:
      return before.turn === turn ? undefined : `WRITE ON ANOTHER TURN: ${operation}`;
  }
}

/** The legal table, and the history that the change itself appends, must both tell of the move that was made. */
function illegalMove(from: Phase | 'none', after: Lease, { operation, append, set }: Change<Lease>) {
  const noted = [...(append.transitions ?? []), ...(set.transitions ?? [])] as readonly Transition[];
  if (noted.some((one) => one.to !== after.phase || one.from !== from))
    return `ILLEGAL MOVE: ${operation} notes another move than ${from} to ${after.phase}`;
  const isLegal = legalTransitions.some(
    ([a, b, name]) => a === from && b === after.phase && name === operation,
  );
  return from === after.phase || isLegal
    ? undefined
    : `ILLEGAL MOVE: ${operation} from ${from} to ${after.phase}`;
}

/**
 * The legal transitions that were never taken. A repeated gate is answered without a write, so that its row in the table
 * is no transition of the store; and a lease is forgotten after weeks in which nothing happens, which no model lives through.
 */
export function untakenTransitions(taken: ReadonlySet<string>): readonly string[] {
  return legalTransitions
    .map(([from, to, operation]) => `${from} ${to} ${operation}`)
    .filter((transition) => !untakeable.includes(transition) && !taken.has(transition));
}

const untakeable: readonly string[] = ['running running gate', 'idle none forget'];

/** Keeps what some condition or some decision of the models reads; the rest only grows. */
function tidyLease(lease: Lease): Lease {
  const isHeld = lease.phase !== 'idle';
  const kept: Partial<Lease> = {
    v: storedVersion,
    pv: lease.pv,
    phase: lease.phase,
    turnId: lease.turnId,
    pending: lease.pending,
    boot: lease.boot,
    liveArn: lease.liveArn,
    ...(isHeld
      ? { startedFrom: lease.startedFrom, writtenState: lease.writtenState, capStates: lease.capStates }
      : {}),
    ...(lease.phase === 'claimed' ? { epoch: lease.epoch } : {}),
    ...(lease.phase === 'ending' ? { ender: lease.ender } : {}),
  };
  return {
    ...emptyLease,
    ...Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined)),
  };
}

function rename(lease: Lease, to: Renaming): Lease {
  const { epoch, ender, pending } = lease;
  const same = (number: number) => number;
  return {
    ...lease,
    ...(epoch === undefined ? {} : { epoch: (to.epoch ?? same)(epoch) }),
    ...(ender === undefined ? {} : { ender: invocationOf((to.run ?? same)(numberIn(ender))) }),
    ...(pending === undefined
      ? {}
      : { pending: { ...pending, by: announcementOf((to.intent ?? same)(numberIn(pending.by))) } }),
  };
}

function retell(lease: Lease, turn: number): Lease {
  return {
    ...lease,
    turnId: turnIdOf(turn),
    ...(lease.liveArn === undefined ? {} : { liveArn: arnOf(turn) }),
    ...(lease.boot === undefined ? {} : { boot: bootOf(turn) }),
  };
}

/** One number for an operation with its operands. */
export function keyOf(operation: Operation, it: Partial<Operands>): number {
  const what = (operationNumbers[operation] * 8 + (it.turn ?? 0)) * 8 + (it.container ?? 0);
  const whose = ((what * 64 + (it.by ?? 0)) * 8 + (it.intent ?? 0)) * 8 + (it.other ?? 0);
  const column = it.column === undefined ? 0 : columns.indexOf(it.column);
  const seen = it.seen === undefined ? 0 : sights.indexOf(it.seen);
  return ((whose * 8 + column) * 4 + seen) * 2 + (it.landed === true ? 1 : 0);
}

const operationNumbers = Object.fromEntries(operations.map((name, at) => [name, at])) as Readonly<
  Record<Operation, number>
>;

function titleOf(operation: Operation, { turn, container, column }: Operands): string {
  return [
    operation,
    turn === 0 ? '' : `of turn ${turn}`,
    container === 0 ? '' : `for container ${container}`,
    column === 'none' ? '' : `(${column})`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}
