import type { BoardRecord, Ledger, TickRecord, TurnRecord } from '../../../lib/controller/ports.ts';
import { allows, applyChange, type Change, carriedOut } from '../../../lib/core/change.ts';
import type { BoardId, IssueId, TurnId } from '../../../lib/core/issue.ts';
import type { Lease } from '../../../lib/core/lease.ts';
import type { SettlementRecord } from '../../../lib/core/settle.ts';
import type { Risk } from '../fate.ts';
import type { Proc } from '../kernel.ts';
import { callPart, killRisks, type Setting } from './calls.ts';

/** Everything that a table held at one moment. */
export type LedgerBackup = ReadonlyMap<string, object>;

/** What is really stored, and who is told of every change of it. */
export interface LedgerStore {
  readonly items: Map<string, object>;
  /** The table is deleted, with everything in it. */
  lose(): void;
  backup(): LedgerBackup;
  /** Another table takes its place: what a backup is restored to, and nothing that was stored since. */
  restore(backup: LedgerBackup): void;
  tick(): TickRecord | undefined;
  lease(board: string, issue: string): Lease | undefined;
  leases(): readonly Lease[];
  history(): readonly SettlementRecord[];
}

export interface LedgerWatch {
  /** A process was shown what is kept of a board. */
  boardRead(proc: Proc, board: string, record: BoardRecord | undefined): void;
  /** A process sends a change; it may land much later, or never. */
  leaseSent(proc: Proc, board: string, issue: string, operation: string): void;
  leaseChanged(change: {
    readonly before: Lease | undefined;
    readonly after: Lease;
    readonly operation: string;
    readonly proc: Proc;
  }): void;
  leaseForgotten(forgotten: {
    readonly before: Lease;
    readonly operation: string;
    readonly proc: Proc;
  }): void;
  tickChanged(before: TickRecord | undefined, after: TickRecord, operation: string): void;
  historyPut(record: SettlementRecord, proc: Proc): void;
}

export function ledgerStore(): LedgerStore {
  const items = new Map<string, object>();
  const tick = () => items.get('TICK') as TickRecord | undefined;
  const gen = () => tick()?.gen ?? '';
  return {
    items,
    lose: () => items.clear(),
    // What is stored is replaced and never changed.
    backup: () => new Map(items),
    restore(backup) {
      items.clear();
      for (const [key, item] of backup) items.set(key, item);
    },
    tick,
    lease: (board, issue) => items.get(leaseKey(gen(), board, issue)) as Lease | undefined,
    leases: () => listed<Lease>(items, leasePrefix(gen())),
    history: () => listed<SettlementRecord>(items, 'HISTORY '),
  };
}

const readRisks: readonly Risk[] = [
  ...killRisks,
  { kind: 'fail', of: 'ledger.read' },
  { kind: 'slow', of: 'ledger.slow', minMs: 200, maxMs: 2_400 },
];
/** What a turn's record is read for comes seldom, and mostly after a write without an answer. */
const turnReadRisks: readonly Risk[] = [...readRisks, { kind: 'fail', of: 'ledger.turn' }];

/** Conditional writes: throttled, applied without an answer, landing late or once more, or retried by the client. */
const localWriteRisks: readonly Risk[] = [
  ...killRisks,
  { kind: 'fail', of: 'ledger.fail' },
  { kind: 'lost', of: 'ledger.lost' },
  { kind: 'retried', of: 'ledger.retried' },
  { kind: 'slow', of: 'ledger.slow', minMs: 200, maxMs: 2_400 },
];
const writeRisks: readonly Risk[] = [
  ...localWriteRisks,
  { kind: 'late', of: 'ledger.late', minMs: 3_000, maxMs: 240_000 },
  { kind: 'doubled', of: 'ledger.doubled', minMs: 1_000, maxMs: 120_000 },
];

/** Carries changes out on the store, and tells of each. */
function ledgerWrites({ items }: LedgerStore) {
  return {
    change<Item extends object>(
      key: string,
      identity: Partial<Item>,
      asked: Change<Item>,
      told: (before: Item | undefined, after: Item) => void,
    ): Item | 'refused' {
      const stored = items.get(key) as (Item & { readonly v?: number }) | undefined;
      if (!allows(asked, stored)) return 'refused';
      const next = applyChange<Item>(asked, stored);
      const after = withoutUndefined({ ...next, ...identity, v: (stored?.v ?? 0) + 1 }) as Item;
      items.set(key, after);
      told(stored, after);
      return after;
    },
    remove<Item extends object>(key: string, asked: Change<Item>, told: (before: Item) => void) {
      const stored = items.get(key) as Item | undefined;
      if (!allows(asked, stored)) return 'refused' as const;
      items.delete(key);
      if (stored !== undefined) told(stored);
      return 'done' as const;
    },
    put<Record extends object>(key: string, record: Record, told: (record: Record) => void) {
      if (items.has(key)) return 'refused' as const;
      const stored = withoutUndefined(record) as Record;
      items.set(key, stored);
      told(stored);
      return 'done' as const;
    },
  };
}

/** One process's ledger: single-item conditional writes and consistent reads over the store of all. */
export function simLedger(setting: Setting, store: LedgerStore, watch: LedgerWatch, proc: Proc): Ledger {
  const { items } = store;
  const { change, remove, put } = ledgerWrites(store);
  const ofWrites = setting.flavour.place === 'machine' ? localWriteRisks : writeRisks;
  const read = <Answer>(operation: string, about: string, effect: () => unknown) =>
    callPart(setting, proc, 'ledger', {
      operation,
      about,
      risks: operation === 'turn' ? turnReadRisks : readRisks,
      effect: effect as () => Answer,
    });
  const write = <Answer>(operation: string, about: string, effect: () => Answer) =>
    callPart(setting, proc, 'ledger', { operation, about, risks: ofWrites, effect });
  return {
    tick: () => read('tick', '', () => store.tick()),
    changeTick: async (asked) => {
      const sound = carriedOut(asked);
      const told = (before: TickRecord | undefined, after: TickRecord) =>
        watch.tickChanged(before, after, asked.operation);
      return write(asked.operation, '', () => change<TickRecord>('TICK', {}, sound, told));
    },
    async board(board) {
      const record = await read<BoardRecord | undefined>('board', board, () => items.get(boardKey(board)));
      watch.boardRead(proc, board, record);
      return record;
    },
    changeBoard: async (board, asked) => {
      const sound = carriedOut(asked);
      const effect = () => asDone(change<BoardRecord>(boardKey(board), { board }, sound, () => undefined));
      return write(asked.operation, board, effect);
    },
    leases: (gen) => read('leases', '', () => listed(items, leasePrefix(gen))),
    lease: (gen, board, issue) => read('lease', issue, () => items.get(leaseKey(gen, board, issue))),
    changeLease: async (gen, board, issue, asked) => {
      const sound = carriedOut(asked);
      const { operation } = asked;
      const isWatched = () => gen === store.tick()?.gen;
      const told = (before: Lease | undefined, after: Lease) => {
        if (isWatched()) watch.leaseChanged({ before, after, operation, proc });
      };
      const toldGone = (before: Lease) => {
        if (isWatched()) watch.leaseForgotten({ before, operation, proc });
      };
      const identity: Partial<Lease> = { board, issueId: issue };
      const key = leaseKey(gen, board, issue);
      watch.leaseSent(proc, board, issue, operation);
      const effect = () =>
        sound.deletes
          ? remove<Lease>(key, sound, toldGone)
          : asDone(change<Lease>(key, identity, sound, told));
      return write(operation, issue, effect);
    },
    putTurn: (record) =>
      write('put-turn', record.issue.id, () => put(turnKey(record.turnId), record, () => undefined)),
    turn(turnId) {
      const stored = () => items.get(turnKey(turnId)) as TurnRecord | undefined;
      return read('turn', stored()?.issue.id ?? '', stored);
    },
    putHistory: (record) =>
      write('put-history', record.issueId, () =>
        put(historyKey(record.board, record.issueId, record.turnId, record.attempt), record, (one) =>
          watch.historyPut(one, proc),
        ),
      ),
    historyOf: (board, issue, turnId, attempt) =>
      read('history-of', issue, () => items.get(historyKey(board, issue, turnId, attempt))),
    history: (board, issue) => read('history', board, () => historyListed(items, board, issue)),
  };
}

function historyListed(
  items: ReadonlyMap<string, object>,
  board: BoardId,
  issue: IssueId | undefined,
): readonly SettlementRecord[] {
  const records = listed<SettlementRecord>(items, historyPrefix(board, issue));
  return [...records].sort((a, b) => a.endedAt - b.endedAt);
}

const boardKey = (board: BoardId): string => `BOARD ${encodeURIComponent(board)}`;
const leasePrefix = (gen: string): string => `LEASE ${gen} `;
const leaseKey = (gen: string, board: string, issue: string): string =>
  `${leasePrefix(gen)}${encodeURIComponent(board)} ${encodeURIComponent(issue)}`;
const turnKey = (turnId: TurnId): string => `TURN ${turnId}`;
const historyPrefix = (board: BoardId, issue: IssueId | undefined): string =>
  `HISTORY ${encodeURIComponent(board)} ${issue === undefined ? '' : `${encodeURIComponent(issue)} `}`;
const historyKey = (board: BoardId, issue: IssueId, turnId: TurnId, attempt: number): string =>
  `${historyPrefix(board, issue)}${String(attempt).padStart(8, '0')} ${turnId}`;

function listed<Item>(items: ReadonlyMap<string, object>, prefix: string): readonly Item[] {
  const keys = [...items.keys()].filter((key) => key.startsWith(prefix)).sort();
  return keys.map((key) => items.get(key) as Item);
}

function asDone(answer: object | 'refused'): 'done' | 'refused' {
  return answer === 'refused' ? 'refused' : 'done';
}

/** Values known to hold nothing undefined; they are never changed, so they need no second look. */
const sound = new WeakSet<object>();

/** What a store gives back: nothing that is undefined, at any depth. Stored values are shared and never changed. */
function withoutUndefined(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || sound.has(value)) return value;
  const kept = Array.isArray(value) ? value.map(withoutUndefined) : withoutUndefinedFields(value);
  sound.add(kept);
  return kept;
}

function withoutUndefinedFields(value: object): object {
  const entries = Object.entries(value);
  let isSame = true;
  const kept: Record<string, unknown> = {};
  for (const [field, before] of entries) {
    const after = withoutUndefined(before);
    if (after !== before || before === undefined) isSame = false;
    if (after !== undefined) kept[field] = after;
  }
  return isSame ? value : kept;
}
