import type { Issue } from './issue.ts';
import type { Lease } from './lease.ts';
import { branchName } from './names.ts';
import type { TurnResult } from './turn-protocol.ts';
import type { Verdict } from './verdict.ts';
import type { Workflow } from './workflow.ts';

/** What the pull request of a branch should be. */
export interface WantedPullRequest {
  readonly branch: string;
  readonly base: string;
  readonly draft: boolean;
  /** For a new one only; whoever changes it later has decided. */
  readonly title: string;
  /** The issue that the work is for, as the code host is to refer to it. */
  readonly issue: Pick<Issue, 'key' | 'url'>;
  /** Whether its merge closes the issue. */
  readonly closes: boolean;
  /** What our block says below the reference to the issue. Without any text of the issue or of the agent. */
  readonly body: string;
}

/** What became of the pull request of a turn's branch. */
export type PullRequest =
  /** `merged` and `closed`: a person had decided before, so nothing was written and no other one is opened. */
  | { readonly kind: 'open' | 'merged' | 'closed'; readonly number: number; readonly url: string }
  | { readonly kind: 'refused'; readonly problem: string };

/** The pull request that is due when a turn ended so: where its branch is there, and what it did is not tried again first. */
export function wantPullRequest(
  issue: Issue,
  lease: Lease,
  verdict: Verdict,
  { base, pull_request }: Pick<Workflow, 'base' | 'pull_request'>,
): WantedPullRequest | undefined {
  const result = lease.result ?? lease.evidence?.result;
  const isSettled =
    verdict.outcome === 'handed-off' ||
    verdict.outcome === 'parked' ||
    (verdict.outcome === 'recheck' && verdict.failureClass === undefined);
  if (!pull_request.open || !isSettled || !hasBranch(result)) return undefined;
  return {
    // Whatever a turn reports, it speaks for no other branch.
    branch: branchName(issue.id),
    base,
    draft: pull_request.draft,
    title: issue.title,
    issue: { key: issue.key, url: issue.url },
    closes: pull_request.closing_keyword,
    body: describeWork(lease, result),
  };
}

type WithGit = TurnResult & { readonly git: NonNullable<TurnResult['git']> };

/** The branch is there when this turn pushed to it, or an earlier one had. */
export function hasBranch(result: TurnResult | undefined): result is WithGit {
  return result?.git !== undefined && (result.git.pushed || result.git.expectedSha !== undefined);
}

function describeWork({ attempt }: Lease, { verify }: TurnResult): string {
  const gates = verify.map(({ command, status }) => `- \`${command.replace(/[`\r\n]/g, ' ')}\` ${status}`);
  return [
    `The work of attempt ${attempt} by evenkeel.`,
    ...(gates.length === 0 ? [] : ['', 'Gates:', '', ...gates]),
  ].join('\n');
}

const blockBegin = '<!-- evenkeel:begin -->';
const blockEnd = '<!-- evenkeel:end -->';

/** Our block of a pull request's text; everything outside it is a person's. */
export function makeBlock(text: string): string {
  // Taken out, one within another would leave one.
  const inside = text.replaceAll('<!--', '<!\u200b--').trim();
  return `${blockBegin}\n${inside}\n${blockEnd}`;
}

/** The text with our block as it should be now; undefined where there is none: a person has taken it out. */
export function replaceBlock(text: string, block: string): string | undefined {
  const from = text.indexOf(blockBegin);
  const to = text.indexOf(blockEnd, from);
  if (from < 0 || to < 0) return undefined;
  return text.slice(0, from) + block + text.slice(to + blockEnd.length);
}
