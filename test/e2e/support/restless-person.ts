import { setTimeout as sleep } from 'node:timers/promises';
import type { SeededRandom } from '../../support/seeded-random.ts';
import type { CardFolder } from './card-folder.ts';
import type { TraceTail } from './trace-tail.ts';

/** Somebody who closes, moves and reopens cards at any moment, whether a host runs or not. */
export interface RestlessPerson {
  /** Moves this card now, if there is anything to be done about it. */
  move(key: string): void;
  /** How many cards were moved so far. */
  moves(): number;
  /** Where the person put each card last. */
  lastMoveOf(key: string): string | undefined;
  /** What is wrong with the cards as they stand now. */
  look(): readonly string[];
  /** Goes home; answers what was wrong at any moment. */
  leave(): Promise<readonly string[]>;
}

const terminal = ['Done', 'Cancelled'];

/**
 * Besides moving any card from time to time, the person moves some just as the host is about to: `trace` tells of each
 * move that it announces.
 */
export function restlessPerson(
  board: CardFolder,
  keys: readonly string[],
  trace: TraceTail,
  random: SeededRandom,
): RestlessPerson {
  const lastMoves = new Map<string, string>();
  const problems = new Set<string>();
  let moves = 0;
  let isHere = true;

  function look(): readonly string[] {
    return keys.flatMap((key) => {
      const state = board.stateOf(key);
      const wanted = lastMoves.get(key);
      if (state === undefined) return [`${key} is not there as a whole, with one state`];
      if (wanted === undefined || !terminal.includes(wanted) || state === wanted) return [];
      return [`${key} was put into ${wanted} by a person and stands in ${state}`];
    });
  }

  function move(key: string): void {
    const state = board.stateOf(key);
    const to = state === undefined ? undefined : chooseMove(state, random);
    if (to === undefined) return;
    board.move(key, to);
    lastMoves.set(key, to);
    moves += 1;
  }

  async function stay(): Promise<void> {
    while (isHere) {
      await sleep(random.between(100, 1500));
      for (const problem of look()) problems.add(problem);
      if (isHere) move(random.pick(keys));
    }
  }

  async function meddle(): Promise<void> {
    while (isHere) {
      await sleep(3);
      for (const line of trace.read().filter((text) => text.includes('"fact":"write-intended"'))) {
        if (!random.chance(0.2)) continue;
        await sleep(random.between(0, 80));
        if (isHere) move((JSON.parse(line) as { readonly key: string }).key);
      }
    }
  }

  const staying = Promise.all([stay(), meddle()]);
  return {
    move,
    moves: () => moves,
    lastMoveOf: (key) => lastMoves.get(key),
    look,
    async leave() {
      isHere = false;
      await staying;
      for (const problem of look()) problems.add(problem);
      return [...problems];
    },
  };
}

/** Keeps the board busy: what waits or is done goes back to work more often than not. */
function chooseMove(state: string, random: SeededRandom): string | undefined {
  if (terminal.includes(state)) return random.chance(0.8) ? 'Todo' : undefined;
  if (state === 'Backlog') return 'Todo';
  if (state === 'In Review') return random.chance(0.7) ? 'Todo' : random.pick(terminal);
  return random.chance(0.6) ? random.pick([...terminal, 'Backlog', 'Todo']) : undefined;
}
