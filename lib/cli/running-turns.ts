import type { BoardReport } from '../controller/board-report.ts';
import type { Fact } from '../core/trace.ts';

/** Counts the turns that hold a slot, from what is told as it happens. */
export interface RunningTurns {
  takeFact(fact: Fact): void;
  takeTick(boards: readonly BoardReport[]): void;
  count(): number;
}

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
      for (const { turnId, orphan } of boards.flatMap((board) => board.decisions)) {
        if (turnId !== undefined && orphan === undefined && !ended.has(turnId)) running.add(turnId);
      }
      ended.clear();
    },
    count: () => running.size,
  };
}
