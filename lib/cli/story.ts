import type { TickReport } from '../controller/reconcile.ts';
import type { Instant } from '../core/issue.ts';
import type { Fact } from '../core/trace.ts';
import type { HostEvent } from '../host/host.ts';
import type { WriteCommand } from './commands-for.ts';
import { makeDecisionNews } from './decision-news.ts';
import { makeMemory } from './memory.ts';
import { type FoundTurn, makeRunningTurns } from './running-turns.ts';
import { describeFact } from './story-facts.ts';
import type { StoryLine } from './story-line.ts';
import { makeTroubleNews } from './trouble-news.ts';

/** The counts of the live line. */
export interface StoryCounts {
  readonly running: number;
  readonly waiting: number;
  readonly parked: number;
  /** Parked ones included. */
  readonly inReview: number;
  readonly parkedInReview: number;
  readonly nextTickAt: Instant | undefined;
}

export interface Story {
  /** The lines that an event adds: what is new in it, and nothing that was told before. */
  tell(event: HostEvent): readonly StoryLine[];
  counts(): StoryCounts;
}

/** How a story calls things. */
export interface StoryNames {
  /** An issue, so that it is known among the boards. */
  readonly issue: (board: string, key: string) => string;
  readonly command: WriteCommand;
}

/**
 * Makes a story of a host's events: each change of a decision once, whatever number of ticks repeats it, and what happens
 * to turns as it happens.
 */
export function makeStory(now: () => Instant, names: StoryNames): Story {
  const memory = makeMemory();
  const troubles = makeTroubleNews(memory, now, names);
  const decisions = makeDecisionNews(now, names);
  const turns = makeRunningTurns();
  let waits = { waiting: 0, parked: 0, inReview: 0, parkedInReview: 0 };
  let nextTickAt: Instant | undefined;

  const tellTick = (report: TickReport): readonly StoryLine[] => {
    if (report.kind !== 'done') return troubles.ofLook(report);
    const found = turns.takeTick(report.boards);
    waits = countWaits(report);
    return [
      ...troubles.ofTick(report),
      ...report.boards.flatMap((board) => [
        ...troubles.ofContract(board),
        ...troubles.ofPause(board),
        ...found.filter((turn) => turn.board === board.board).map(tellFound),
        ...decisions.of(board),
      ]),
    ];
  };

  const tellFound = ({ board, key, detail }: FoundTurn): StoryLine => ({
    time: now(),
    subject: names.issue(board, key),
    word: 'running',
    tone: 'go',
    text: `it goes on: ${detail}`,
  });

  // What goes on for long is tried again at every tick.
  const isRepeated = ({ fact, reason = '', board, key, attempt }: Fact, { text }: StoryLine) =>
    fact === 'refused' &&
    triedAgain.includes(reason) &&
    !memory.isNews(`${reason} of ${board} ${key} ${attempt}`, text);

  return {
    tell(event) {
      if ('nextTickAt' in event) nextTickAt = event.nextTickAt;
      if (event.kind === 'tick') return tellTick(event.report);
      if (event.kind !== 'fact') return troubles.ofHost(event);
      turns.takeFact(event.fact);
      const line = describeFact(event.fact, names);
      return line === undefined || isRepeated(event.fact, line) ? [] : [line];
    },
    counts: () => ({ ...waits, running: turns.count(), nextTickAt }),
  };
}

const triedAgain = ['write-unknown', 'comment-failed', 'pull-request-unknown', 'merges-unknown'];

function countWaits(report: Extract<TickReport, { kind: 'done' }>) {
  const { waits, inHandoff, parkedInHandoff } = report.summary;
  const parked = waits.filter((reason) => reason === 'parked').length;
  return { waiting: waits.length - parked, parked, inReview: inHandoff, parkedInReview: parkedInHandoff };
}
