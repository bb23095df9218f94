import type { TickReport } from '../controller/reconcile.ts';
import { endsByItself } from '../core/decision.ts';

export interface IdleWatch {
  /** Whether with this tick nothing is left to do that does not wait for a person. */
  see(report: TickReport): boolean;
  /** What a person has to look at, from the last tick that was seen. */
  trouble(): readonly string[];
}

/** How many complete ticks in a row must see nothing to do. */
const quietTicks = 2;

/** Watches for the end of all work: no lease, no start, no open write, and nothing that time alone will bring. */
export function idleWatch(): IdleWatch {
  let quiet = 0;
  let trouble: readonly string[] = [];
  return {
    see: (report) => {
      if (report.kind === 'not-admitted') return false;
      quiet = report.kind === 'done' && isQuiet(report) ? quiet + 1 : 0;
      if (report.kind === 'done') trouble = findTrouble(report);
      return quiet >= quietTicks;
    },
    trouble: () => trouble,
  };
}

type DoneReport = Extract<TickReport, { kind: 'done' }>;

function isQuiet({ summary, boards }: DoneReport): boolean {
  const decisions = boards.flatMap((board) => board.decisions);
  return (
    summary.complete &&
    summary.liveLeases === 0 &&
    summary.openWrites === 0 &&
    !decisions.some(({ action, reason }) => action === 'start' || reason === 'read-incomplete') &&
    !decisions.some(endsByItself) &&
    !boards.some(({ limitedUntil }) => limitedUntil !== undefined)
  );
}

function findTrouble({ boards }: DoneReport): readonly string[] {
  const sentences = boards.flatMap((board) => [
    ...board.problems.map(({ message }) => `board ${board.board}: ${message}`),
    ...(board.valid || board.problems.length > 0 ? [] : [`the contract of board ${board.board} is invalid`]),
    ...board.decisions
      .filter(({ action, reason }) => action === 'wait' && reason === 'parked')
      .map(({ key, detail }) => `${key} is parked: ${detail}`),
  ]);
  return [...new Set(sentences)];
}
