import type { BoardReport } from '../controller/board-report.ts';
import type { Action, Decision, Reason } from '../core/decision.ts';
import type { BoardId, Instant } from '../core/issue.ts';
import { remedyFor } from './commands-for.ts';
import { makeMemory } from './memory.ts';
import type { StoryNames } from './story.ts';
import type { StoryLine } from './story-line.ts';
import { roughDuration } from './time-text.ts';
import { toneOfAction } from './tones.ts';
import { describeWait } from './waiting-text.ts';

/** Tells a decision about an issue when it is another one than at the last tick. */
export interface DecisionNews {
  of(board: BoardReport): readonly StoryLine[];
}

export function makeDecisionNews(now: () => Instant, names: StoryNames): DecisionNews {
  const memories = new Map<BoardId, ReturnType<typeof makeMemory>>();
  return {
    of({ board, decisions }) {
      const memory = memories.get(board) ?? makeMemory();
      memories.set(board, memory);
      // A tick that looked twice decided twice; what counts is how it ended.
      const latest = new Map(decisions.map((decision) => [names.issue(board, decision.key), decision]));
      const news = [...latest].filter(([name, { action, reason }]) =>
        memory.isNews(name, `${action} ${reason}`),
      );
      memory.keepOnly(new Set(latest.keys()));
      return foldAlike(
        news
          .filter(([, decision]) => isWorthTelling(decision))
          .map(([name, decision]) => toLine(name, decision, now(), names)),
        names,
      );
    },
  };
}

/** What facts tell as it happens needs no line of the plan, and work that simply goes on needs none at all. */
function isWorthTelling({ action, reason, orphan }: Decision): boolean {
  if (toldByFacts.includes(action)) return orphan !== undefined;
  return action !== 'keep' || !plainKeeps.includes(reason);
}

const toldByFacts: readonly Action[] = [
  'start',
  'repeat',
  'adopt',
  'stop',
  'settle',
  'release',
  'finish-write',
  'reset',
  'forget',
];
const plainKeeps: readonly Reason[] = ['running', 'claimed', 'ended', 'write-open'];

function toLine(name: string, decision: Decision, now: Instant, { command }: StoryNames): StoryLine {
  const { action, reason, detail, until, toResume } = decision;
  const due = until === undefined ? '' : `, for ${roughDuration(until - now)} more`;
  const remedy = toResume === undefined ? undefined : remedyFor(toResume, command);
  return {
    time: now,
    subject: name,
    word: action,
    tone: reason === 'parked' || reason === 'contract-invalid' ? 'bad' : toneOfAction[action],
    reason,
    text: describeWait(detail, due, remedy),
  };
}

/** More lines of one kind than this are told by their number: a full board waits for a slot in one sentence. */
const mostAlike = 6;
const shownAlike = 3;

function foldAlike(lines: readonly StoryLine[], { command }: StoryNames): readonly StoryLine[] {
  const kinds = new Map<string, StoryLine[]>();
  for (const line of lines) {
    const kind = `${line.word} ${line.reason}`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), line]);
  }
  return [...kinds.values()].flatMap((alike) => {
    if (alike.length <= mostAlike) return alike;
    const more = alike.length - shownAlike;
    const text = `${more} more issues for the same reason; \`${command('plan')}\` lists them`;
    return [...alike.slice(0, shownAlike), { ...alike[0]!, subject: '…', text }];
  });
}
