import type { BoardRecord, Ledger, TickRecord, TurnRecord } from '../../lib/controller/ports.ts';
import { allows, applyChange, type Change, carriedOut } from '../../lib/core/change.ts';
import type { BoardId, IssueId, TurnId } from '../../lib/core/issue.ts';
import type { Lease } from '../../lib/core/lease.ts';
import type { SettlementRecord } from '../../lib/core/settle.ts';

/** One write as a fault sees it. */
export interface LedgerWrite {
  readonly item: 'tick' | 'board' | 'lease' | 'turn' | 'history';
  /** The change's own name, or `put`. */
  readonly operation: string;
  /** Where the item is kept; equal for all writes of one item. */
  readonly key: string;
  /** The conditional write itself. A fault that keeps it and throws makes a write that lands late. */
  land(): 'done' | 'refused';
}

/**
 * Faults, replaceable at any time. They may be asynchronous, so that others get a turn between a decision and its write.
 *
 * - `beforeRead`, `beforeWrite`: throwing means that nothing was read or written, and that the caller cannot know.
 * - `afterWrite`: throwing means a lost answer; the write stands as `answer` says.
 */
export interface LedgerFaults {
  beforeRead?: ((key: string) => void | Promise<void>) | undefined;
  beforeWrite?: ((write: LedgerWrite) => void | Promise<void>) | undefined;
  afterWrite?: ((write: LedgerWrite, answer: 'done' | 'refused') => void | Promise<void>) | undefined;
}

export interface MemoryLedger extends Ledger {
  readonly faults: LedgerFaults;
  /** Everything stored, for assertions on the state of the world and for breaking it on purpose. */
  readonly items: Map<string, object>;
}

/** The ledger as a map: what every controller is tested over. It passes the same contract suite as the database. */
export function memoryLedger(faults: LedgerFaults = {}): MemoryLedger {
  const items = new Map<string, object>();
  const { read, readAll, change, put } = memoryStore(items, faults);
  return {
    faults,
    items,
    tick: () => read<TickRecord>('TICK'),
    changeTick: async (asked) => {
      let after: TickRecord | 'refused' = 'refused';
      await change<TickRecord>('tick', 'TICK', {}, asked, (record) => {
        after = record;
      });
      return after;
    },
    board: (board) => read<BoardRecord>(boardKey(board)),
    changeBoard: (board, asked) => change('board', boardKey(board), { board }, asked),
    leases: (gen) => readAll<Lease>(`LEASE ${gen} `),
    lease: (gen, board, issue) => read<Lease>(leaseKey(gen, board, issue)),
    changeLease: (gen, board, issue, asked) =>
      change('lease', leaseKey(gen, board, issue), { board, issueId: issue }, asked),
    putTurn: (record) => put('turn', turnKey(record.turnId), record),
    turn: (turnId) => read<TurnRecord>(turnKey(turnId)),
    putHistory: (record) =>
      put('history', historyKey(record.board, record.issueId, record.turnId, record.attempt), record),
    historyOf: (board, issue, turnId, attempt) =>
      read<SettlementRecord>(historyKey(board, issue, turnId, attempt)),
    history: async (board, issue) => {
      const records = await readAll<SettlementRecord>(historyPrefix(board, issue));
      return [...records].sort((a, b) => a.endedAt - b.endedAt);
    },
  };
}

/** Conditional writes of single items; each is one step, with faults before and after it. */
function memoryStore(items: Map<string, object>, faults: LedgerFaults) {
  async function read<Item>(key: string): Promise<Item | undefined> {
    await faults.beforeRead?.(key);
    return withoutKey<Item>(items.get(key));
  }

  async function readAll<Item>(prefix: string): Promise<readonly Item[]> {
    await faults.beforeRead?.(prefix);
    const keys = [...items.keys()].filter((key) => key.startsWith(prefix)).sort();
    return keys.map((key) => withoutKey<Item>(items.get(key)) as Item);
  }

  async function write(write: LedgerWrite): Promise<'done' | 'refused'> {
    await faults.beforeWrite?.(write);
    const answer = write.land();
    await faults.afterWrite?.(write, answer);
    return answer;
  }

  /** `identity` names the item, whatever the change says; `changed` is shown the item as this very write left it. */
  async function change<Item extends object>(
    item: LedgerWrite['item'],
    key: string,
    identity: Partial<Item>,
    asked: Change<Item>,
    changed?: (item: Item) => void,
  ): Promise<'done' | 'refused'> {
    const change = carriedOut(asked);
    return write({
      item,
      operation: change.operation,
      key,
      land: () => {
        const stored = items.get(key) as (Item & { readonly v?: number }) | undefined;
        if (!allows(change, stored)) return 'refused';
        if (change.deletes) {
          items.delete(key);
          return 'done';
        }
        const next = applyChange<Item>({ ...change, set: { ...change.set, ...identity } }, stored);
        items.set(key, asStored({ ...next, pk: key, v: (stored?.v ?? 0) + 1 }));
        changed?.(withoutKey<Item>(items.get(key)) as Item);
        return 'done';
      },
    });
  }

  function put(item: LedgerWrite['item'], key: string, record: object): Promise<'done' | 'refused'> {
    return write({
      item,
      operation: 'put',
      key,
      land: () => {
        if (items.has(key)) return 'refused';
        items.set(key, asStored({ ...record, pk: key }));
        return 'done';
      },
    });
  }

  return { read, readAll, change, put };
}

const boardKey = (board: BoardId): string => `BOARD ${encoded(board)}`;
const leaseKey = (gen: string, board: BoardId, issue: IssueId): string =>
  `LEASE ${gen} ${encoded(board)} ${encoded(issue)}`;
const turnKey = (turnId: TurnId): string => `TURN ${turnId}`;
const historyKey = (board: BoardId, issue: IssueId, turnId: TurnId, attempt: number): string =>
  `${historyPrefix(board, issue)}${String(attempt).padStart(8, '0')} ${turnId}`;
const historyPrefix = (board: BoardId, issue: IssueId | undefined): string =>
  `HISTORY ${encoded(board)} ${issue === undefined ? '' : `${encoded(issue)} `}`;

/** What a database gives back: copies, never the caller's own object, and nothing that is undefined. */
function asStored<Item extends object>(item: Item): Item {
  return JSON.parse(JSON.stringify(item)) as Item;
}

function withoutKey<Item>(stored: object | undefined): Item | undefined {
  if (stored === undefined) return undefined;
  const { pk: _key, ...item } = structuredClone(stored) as { readonly pk?: string };
  return item as Item;
}

/** Ids are opaque and may hold the separator. */
function encoded(part: string): string {
  return encodeURIComponent(part);
}
