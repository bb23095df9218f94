import type { BoardReport } from '../controller/board-report.ts';
import type { Decision } from '../core/decision.ts';
import type { Fact } from '../core/trace.ts';

/** Knows the turns that hold a slot, from what is told as it happens. */
export interface RunningTurns {
  takeFact(fact: Fact): void;
  /** Answers those at work of which nothing was told before: an earlier host started them. */
  takeTick(boards: readonly BoardReport[]): readonly FoundTurn[];
  count(): number;
}

export type FoundTurn = Pick<BoardReport, 'board'> & Pick<Decision, 'key' | 'detail'>;

export function makeRunningTurns(): RunningTurns {
  const running = new Set<string>();
  /** Ended since the last tick was told: that tick may still have decided about them before. */
  const ended = new Set<string>();
  return {
    takeFact({ fact, turnId }) {
      if (turnId === undefined) return;
      if (fact === 'claimed' || fact === 'adopted' || fact === 'turn-started') running.add(turnId);
      if (fact === 'settled' || fact === 'released') {
        running.delete(turnId);
        ended.add(turnId);
      }
    },
    takeTick(boards) {
      const found: FoundTurn[] = [];
      for (const { board, decisions } of boards) {
        for (const { key, turnId, orphan, action, reason, detail } of decisions) {
          if (turnId === undefined || orphan !== undefined || ended.has(turnId)) continue;
          if (action === 'keep' && reason === 'running' && !running.has(turnId))
            found.push({ board, key, detail });
          running.add(turnId);
        }
      }
      ended.clear();
      return found;
    },
    count: () => running.size,
  };
}
