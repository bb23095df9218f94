import type { IssueId } from '../core/issue.ts';
import type { StopReason } from '../core/lease.ts';
import { branchName, wipBranchName } from '../core/names.ts';
import type { Outcome } from '../core/settle.ts';
import type { Fact } from '../core/trace.ts';
import type { WriteCommand } from './commands-for.ts';
import type { StoryNames } from './story.ts';
import type { StoryLine } from './story-line.ts';
import type { Tone } from './tones.ts';

type Telling = Pick<StoryLine, 'word' | 'tone' | 'reason' | 'text'>;

/** What happened, for people; undefined for facts that only a checker of traces needs. */
export function describeFact(fact: Fact, names: StoryNames): StoryLine | undefined {
  const telling = tell(fact, names.command);
  if (telling === undefined) return undefined;
  const board = fact.board ?? '';
  const subject = fact.key === undefined ? board : names.issue(board, fact.key);
  return { time: fact.time, subject, ...telling };
}

function tell(fact: Fact, command: WriteCommand): Telling | undefined {
  switch (fact.fact) {
    case 'claimed':
      return say('start', 'go', `attempt ${fact.attempt} starts${from(fact)}`);
    case 'turn-started':
      return say('running', 'go', `attempt ${fact.attempt} is at work`);
    case 'adopted':
      return say('adopt', 'go', 'its turn was already running and is taken over', fact.reason);
    case 'launch-refused':
      return say('refused', 'bad', `its turn could not be launched: ${textOf(fact.problem)}`);
    case 'stop-asked':
      return say('stop', 'wait', describeStop(fact.reason), fact.reason);
    case 'written':
      return say('moved', 'go', `the card moves${from(fact)} to "${textOf(fact.to)}"`);
    case 'repaired':
      return say('repaired', 'bad', `"${textOf(fact.to)}" was overwritten in a lost race and stands again`);
    case 'reset':
      return fact.reason === 'merged'
        ? say('merged', 'good', `its pull request was merged; it is finished in "${textOf(fact.state)}"`)
        : say('reset', 'go', `a person moved it to "${textOf(fact.state)}"; its counters start anew`);
    case 'settled':
      return describeEnd(fact, command);
    case 'refused':
      return describeRefusal(fact);
    case 'alarm':
      return describeAlarm(fact, command);
    default:
      return undefined;
  }
}

function say(word: string, tone: Tone, text: string, reason?: string): Telling {
  return { word, tone, text, reason };
}

function from(fact: Fact): string {
  return fact.from === undefined ? '' : ` from "${textOf(fact.from)}"`;
}

function textOf(value: Fact[string]): string {
  return value === undefined ? '' : String(value);
}

/** A sentence for each reason of a stop. The card is always what decides; these say which move of it. */
const stopSentences: Readonly<Record<StopReason, string>> = {
  'not-active': 'its card left the active states; the turn is asked to end',
  terminal: 'its card is closed or in a terminal state; the turn is asked to end',
  'missing-label': 'a required label was taken off; the turn is asked to end',
  gone: 'its card is gone; the turn is asked to end',
  stale: 'its turn has not been heard of for too long and is asked to end',
  deadline: 'its turn took longer than it may and is asked to end',
  'ledger-lost': 'its turn is on no lease and is asked to end',
};

function describeStop(reason: string | undefined): string {
  return stopSentences[reason as StopReason] ?? 'its turn is asked to end';
}

function describeEnd(fact: Fact, command: WriteCommand): Telling {
  const telling = describeOutcome(fact);
  return { ...telling, text: `${telling.text}${describeKept(fact, command)}` };
}

function describeOutcome(fact: Fact): Telling {
  // More follows in the same sentence.
  const because = textOf(fact.reason).replace(/\.$/, '');
  const failure = fact.class === undefined ? undefined : textOf(fact.class);
  switch (fact.outcome as Outcome | undefined) {
    case 'handed-off':
      return failure === undefined
        ? say('handed off', 'good', `${because}: ${work(fact)}, card in "${textOf(fact.state)}"`)
        : say('handed off', 'wait', `${because}; card in "${textOf(fact.state)}"`, failure);
    case 'retry':
      return say('failed', 'bad', `${because}; it is tried again`, failure);
    case 'parked':
      return say('parked', 'bad', because, failure);
    case 'released':
      return say('released', 'quiet', releases[because] ?? because);
    default:
      return say('ended', 'wait', `${because}; it is looked at again`, failure);
  }
}

function work({ issue, pullRequest }: Fact): string {
  const branch = issue === undefined ? 'branch pushed' : `branch ${branchName(issue as IssueId)}`;
  return pullRequest === undefined ? branch : `${branch}, ${textOf(pullRequest)}`;
}

/** Commits that did not reach the issue's branch are not lost. */
function describeKept({ kept, issue, key }: Fact, command: WriteCommand): string {
  if (kept === 'wip' && issue !== undefined)
    return `; its work is kept on ${wipBranchName(issue as IssueId)}`;
  return kept === undefined
    ? ''
    : `; its work is kept, and \`${command('history', ...(key === undefined ? [] : [key]))}\` says where`;
}

/** Why a turn ended without a word on the board. */
const releases: Readonly<Record<string, string>> = {
  terminal: 'its turn ended; the card is closed or in a terminal state, and stays so',
  'not-active': 'its turn ended; the card had left the active states',
  'missing-label': 'its turn ended; a required label had been taken off',
  gone: 'its turn ended; the card is gone',
  'moved-by-person': 'its turn ended; a person had moved the card, and it stays there',
};

function describeRefusal({ reason, problem }: Fact): Telling | undefined {
  switch (reason) {
    case 'rejected':
      return say('refused', 'bad', 'the board did not take the move of the card');
    case 'write-unknown':
      return say(
        'refused',
        'wait',
        `the move of its card has no answer and is looked at again: ${textOf(problem)}`,
      );
    case 'comment-failed':
      return say('refused', 'bad', `its status comment could not be written (${textOf(problem)})`);
    case 'pull-request':
      return say('refused', 'bad', `its pull request could not be put: ${textOf(problem)}`);
    case 'pull-request-unknown':
      return say(
        'refused',
        'wait',
        `nobody knows whether its pull request was put; it is looked at again (${textOf(problem)})`,
      );
    case 'merges-unknown':
      return say(
        'refused',
        'wait',
        `nobody knows what of it was merged, so that nothing is finished by a merge: ${textOf(problem)}`,
      );
    case 'launch-unknown':
      return say('refused', 'wait', `its launch has no answer and is repeated: ${textOf(problem)}`);
    default:
      return undefined;
  }
}

function describeAlarm({ reason, key }: Fact, command: WriteCommand): Telling | undefined {
  switch (reason) {
    case 'contract-invalid':
      return undefined;
    case 'breaker-open':
      return say(
        'alarm',
        'bad',
        'launches of its board wait for a while, because the last one failed',
        reason,
      );
    case 'write-limit':
      return say('alarm', 'bad', 'this tick has used up its moves; the rest follows at the next one', reason);
    case 'terminal-overwritten':
      return say('alarm', 'bad', 'a closed card was moved; look at its history', reason);
    default:
      return say(
        'alarm',
        'bad',
        `it needs a person: \`${key === undefined ? command('status') : command('explain', key)}\` says what to do`,
        reason,
      );
  }
}
