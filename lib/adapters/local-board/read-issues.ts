import { setImmediate as letOthersRun } from 'node:timers/promises';
import type { Listing } from '../../controller/ports.ts';
import {
  type Blocker,
  type Issue,
  type IssueId,
  type IssueKey,
  type Reading,
  type StateName,
  stateKey,
} from '../../core/issue.ts';
import { describeDouble, type Found, findFile, listKeys, openFile } from './board-folder.ts';
import { type BrokenFile, type IssueFile, parseIssueFile } from './issue-file.ts';

/** Marks an issue with the print of the bytes it was read from, for the comparison before a write. */
export const printMark: unique symbol = Symbol('print');
export type PrintedIssue = Issue & { readonly [printMark]: string };

export interface IssueReader {
  /** Every issue of the board, and every file that should be one. Throws when the folder cannot be read. */
  readAll(): Promise<{ readonly issues: readonly Issue[]; readonly broken: Listing['broken'] }>;
  /** These issues. Never throws. */
  readSome(ids: readonly IssueId[]): Promise<ReadonlyMap<IssueId, Reading<PrintedIssue>>>;
}

type Card =
  | (IssueFile & { readonly path: string; readonly print: string; readonly bornAt: number })
  | BrokenFile
  | { readonly kind: 'gone' };

/** What was understood of each file, and of which bytes. */
type Known = Map<string, { readonly print: string; readonly file: IssueFile | BrokenFile }>;

/** So many files are read before others have their turn. */
const batch = 50;

/** Reads every file each time, and parses only those whose bytes are new: parsing costs far more than reading. */
export function issueReader(
  folder: string,
  terminalStates: readonly string[],
  now: () => number,
): IssueReader {
  const known: Known = new Map();
  const terminal = new Set(terminalStates.map(stateKey));
  const isTerminal = (state: StateName) => terminal.has(stateKey(state));
  const blockerAmong = (cards: ReadonlyMap<string, Card>) => (key: string) => {
    const card = cards.get(key) ?? understand(known, key, openFile(folder, key));
    return {
      key: key as IssueKey,
      open: card.kind === 'issue' ? !isTerminal(card.state) : 'unknown',
    } as const;
  };
  return {
    async readAll() {
      const cards = await readCards(folder, await listKeys(folder, now()), known);
      const toBlocker = blockerAmong(cards);
      const all = [...cards];
      return {
        issues: all.flatMap(([key, card]) =>
          card.kind === 'issue' ? [describeIssue(key, card, toBlocker)] : [],
        ),
        broken: all.flatMap(([key, card]) => (card.kind === 'broken' ? [describeBroken(key, card)] : [])),
      };
    },
    async readSome(ids) {
      const find = async (id: IssueId) => [id, understand(known, id, await findFile(folder, id))] as const;
      const cards = new Map<string, Card>(await Promise.all(ids.map(find)));
      const toBlocker = blockerAmong(cards);
      return new Map(ids.map((id) => [id, answer(id, cards.get(id), toBlocker)]));
    },
  };
}

async function readCards(
  folder: string,
  keys: readonly string[],
  known: Known,
): Promise<ReadonlyMap<string, Card>> {
  const cards = new Map<string, Card>();
  for (const [index, key] of keys.entries()) {
    if (index % batch === batch - 1) await letOthersRun();
    cards.set(key, understand(known, key, openFile(folder, key)));
  }
  // A file that was here before may be missing for the moment of a save only.
  const missing = [...new Set([...known.keys(), ...keys])].filter(
    (key) => (cards.get(key)?.kind ?? 'gone') === 'gone',
  );
  const lookLonger = async (key: string) =>
    cards.set(key, understand(known, key, await findFile(folder, key)));
  await Promise.all(missing.map(lookLonger));
  breakDoubles(cards);
  return cards;
}

/** Nobody can say which of several links to one file is the issue. */
function breakDoubles(cards: Map<string, Card>): void {
  const keysOf = new Map<string, string[]>();
  for (const [key, card] of cards)
    if (card.kind === 'issue') keysOf.set(card.path, [...(keysOf.get(card.path) ?? []), key]);
  for (const keys of [...keysOf.values()].filter(({ length }) => length > 1)) {
    for (const key of keys) {
      const others = keys.filter((other) => other !== key).map((other) => `${other}.md`);
      cards.set(key, { kind: 'broken', problem: describeDouble(others), conflictingStates: false });
    }
  }
}

function understand(known: Known, key: string, found: Found | 'absent'): Card {
  if (found === 'absent') return { kind: 'gone' };
  if (found.kind === 'gone') {
    known.delete(key);
    return { kind: 'gone' };
  }
  if (found.kind === 'unreadable')
    return { kind: 'broken', problem: found.problem, conflictingStates: false };
  const before = known.get(key);
  const file = before?.print === found.print ? before.file : parseIssueFile(found.bytes);
  known.set(key, { print: found.print, file });
  return file.kind === 'broken'
    ? file
    : { ...file, path: found.path, print: found.print, bornAt: found.bornAt };
}

function answer(
  id: IssueId,
  card: Card | undefined,
  toBlocker: (key: string) => Blocker,
): Reading<PrintedIssue> {
  if (card === undefined || card.kind === 'gone') return { kind: 'gone' };
  if (card.kind === 'broken') return { kind: 'unknown', problem: describeBroken(id, card).problem };
  return { kind: 'found', issue: { ...describeIssue(id, card, toBlocker), [printMark]: card.print } };
}

function describeIssue(
  key: string,
  card: Extract<Card, { kind: 'issue' }>,
  toBlocker: (key: string) => Blocker,
): Issue {
  return {
    id: key as IssueId,
    key: key as IssueKey,
    title: card.title,
    description: card.description,
    url: undefined,
    state: card.state,
    conflictingStates: [],
    closed: false,
    labels: card.labels,
    priority: card.priority,
    blockers: card.blockedBy.map(toBlocker),
    assignees: card.assignees,
    createdAt: card.createdAt ?? card.bornAt,
    movedBy: 'person',
    trusted: true,
  };
}

function describeBroken(key: string, { problem, conflictingStates }: BrokenFile): Listing['broken'][number] {
  return { id: key as IssueId, key: key as IssueKey, problem: `${key}.md: ${problem}`, conflictingStates };
}
