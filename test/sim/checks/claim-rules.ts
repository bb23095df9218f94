import type { IssueId } from '../../../lib/core/issue.ts';
import type { Rule } from './lease-rules.ts';
import { whyNotShown } from './shown.ts';
import { boardOf, noteOf } from './truth.ts';

/** What a claim must respect, whoever makes it. */
export const ofClaims: Readonly<Record<string, Rule>> = {
  S4: ({ before, after }, { memory, store }) => {
    if (memory.usedTurns.has(after.turnId!)) return `the turn ${after.turnId} is claimed twice`;
    const highest = memory.attempts.get(`${store.tick()?.gen} ${after.board}/${after.issueId}`) ?? 0;
    if (after.attempt <= highest) return `attempt ${after.attempt} after attempt ${highest}`;
    return before !== undefined && before.phase !== 'idle' ? `claimed while ${before.phase}` : undefined;
  },
  parked: ({ before }) => before?.parked && `claimed while parked (${before.parked.reason})`,
  R2: ({ before }, { clock }) =>
    before?.nextAt !== undefined && before.nextAt > clock()
      ? `claimed ${before.nextAt - clock()} ms before its retry is due`
      : undefined,
  R1: ({ before, after }, truth) => {
    const most = boardOf(truth, after.board)!.workflow.agent.max_turns;
    return before !== undefined && before.turns >= most ? `claimed after ${before.turns} turns` : undefined;
  },
  budget: ({ before, after }, truth) => {
    if (before === undefined) return undefined;
    const { usd_per_issue, tokens_per_issue } = boardOf(truth, after.board)!.workflow.agent.budget ?? {};
    if (usd_per_issue !== undefined && before.spendUsd >= usd_per_issue)
      return `claimed after spending ${before.spendUsd} of ${usd_per_issue} USD`;
    return tokens_per_issue !== undefined && before.spendTokens >= tokens_per_issue
      ? `claimed after spending ${before.spendTokens} of ${tokens_per_issue} tokens`
      : undefined;
  },
  D1: ({ after, proc }) =>
    noteOf<boolean>(proc, `contract of ${after.board} ${after.issueId}`) === true
      ? undefined
      : 'claimed without a contract that holds',
  D3: ({ after, proc }) =>
    noteOf<ReadonlySet<IssueId>>(proc, `list ${after.board}`)?.has(after.issueId)
      ? undefined
      : 'claimed without standing in a complete list of the same tick',
  'claim-wanted': ({ after, proc }, truth) =>
    whyNotShown(boardOf(truth, after.board)!, noteOf(proc, `shown claim ${after.board} ${after.issueId}`)),
  paused: ({ after }, { store }) => {
    const record = store.items.get(`BOARD ${encodeURIComponent(after.board)}`) as
      | { readonly paused?: { readonly since: number } }
      | undefined;
    const since = record?.paused?.since;
    // A tick that began before the pause may still claim.
    return since !== undefined && since + 60_000 < (after.claimedAt ?? 0)
      ? 'claimed while paused'
      : undefined;
  },
};
