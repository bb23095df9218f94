import type { HistoryEntry } from '../controller/operations.ts';
import type { Colors } from './cli-context.ts';
import { harmlessLine } from './harmless-text.ts';
import { dayAndTime, roughDuration } from './time-text.ts';
import { colorOf, type Tone } from './tones.ts';

/** One block for each turn: how it ended, then where its work is. */
export function renderHistory(turns: readonly HistoryEntry[], colors: Colors): string {
  return turns.map((turn) => renderTurn(turn, colors).join('\n')).join('\n');
}

function renderTurn(turn: HistoryEntry, colors: Colors): readonly string[] {
  const outcome = colorOf(toneOfOutcome[turn.outcome], colors)(turn.outcome);
  const failure = turn.class === null ? '' : ` (${turn.class})`;
  const head = [
    dayAndTime(turn.endedAt),
    colors.bold(harmlessLine(turn.key)),
    `attempt ${turn.attempt}`,
    `${outcome}${failure}: ${harmlessLine(turn.reason)}`,
  ].join('  ');
  const took =
    turn.startedAt === null
      ? undefined
      : `took ${roughDuration(Date.parse(turn.endedAt) - Date.parse(turn.startedAt))}`;
  const facts = [
    took,
    describeWork(turn),
    describePullRequest(turn),
    ...turn.notes.map(harmlessLine),
    describeGates(turn),
    describeUsage(turn),
    `turn ${turn.turnId}`,
  ];
  return [head, colors.dim(`  ${facts.filter((fact) => fact !== undefined).join(' · ')}`)];
}

/** How a turn ended, in one line. */
export function describeTurnEnd(turn: HistoryEntry): string {
  const failure = turn.class === null ? '' : ` (${turn.class})`;
  const work = [describeWork(turn), describePullRequest(turn)]
    .filter((part) => part !== undefined)
    .join('; ');
  const end = `attempt ${turn.attempt} ended ${dayAndTime(turn.endedAt)}, ${turn.outcome}${failure}: ${turn.reason}`;
  return work === '' ? end : `${end}; ${work}`;
}

const toneOfOutcome: Readonly<Record<HistoryEntry['outcome'], Tone>> = {
  'handed-off': 'good',
  retry: 'wait',
  recheck: 'wait',
  parked: 'bad',
  released: 'quiet',
};

/** Where the work of a turn is: on the branch, kept beside it, or nowhere because there is none. */
function describeWork(turn: HistoryEntry): string | undefined {
  const rest =
    turn.inWorkspaceOnly && turn.workspace !== null
      ? `some of its work only in ${harmlessLine(turn.workspace)}`
      : undefined;
  const places = [describeCommits(turn), rest].filter((place) => place !== undefined);
  return places.length === 0 ? undefined : places.join(' · ');
}

function describeCommits({ branch, headSha, pushed, wipBranch, bundle }: HistoryEntry): string | undefined {
  const at = headSha === null ? '' : ` at ${headSha.slice(0, 9)}`;
  if (pushed && branch !== null) return `branch ${harmlessLine(branch)}${at}`;
  if (wipBranch !== null) return `work kept on ${harmlessLine(wipBranch)}${at}`;
  return bundle === null ? undefined : `work kept in ${harmlessLine(bundle)}`;
}

function describePullRequest({ pullRequest }: HistoryEntry): string | undefined {
  if (pullRequest === null) return undefined;
  if (pullRequest.kind === 'refused') return `no pull request: ${harmlessLine(pullRequest.problem)}`;
  const before = pullRequest.kind === 'open' ? '' : ` (${pullRequest.kind} before)`;
  return `pull request ${harmlessLine(pullRequest.url)}${before}`;
}

function describeGates({ verify }: HistoryEntry): string | undefined {
  if (verify.length === 0) return undefined;
  return verify.map(({ command, status }) => `\`${harmlessLine(command)}\` ${status}`).join(', ');
}

function describeUsage({ usage }: HistoryEntry): string {
  const parts = [
    usage?.usd == null ? undefined : `${usage.usd.toFixed(2)} USD`,
    usage?.tokens == null ? undefined : `${usage.tokens} tokens`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? 'cost unknown' : parts.join(', ');
}
