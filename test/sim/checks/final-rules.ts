import { stateKey } from '../../../lib/core/issue.ts';
import type { Lease } from '../../../lib/core/lease.ts';
import { branchName } from '../../../lib/core/names.ts';
import { type Card, isFinal, standingOf } from '../models/card-board.ts';
import type { World } from '../world.ts';
import { isLeftOverwritten } from './overwrites.ts';
import type { SimBoard } from './truth.ts';

export interface Unsettled {
  readonly rule: string;
  readonly message: string;
}

/** What is still wrong with a world in which nothing has gone wrong for long. */
export function settledProblems(world: World): readonly Unsettled[] {
  const problems: Unsettled[] = [];
  const report = (rule: string, message: string) => problems.push({ rule, message });
  if (world.store.tick()?.epoch === undefined) report('J1', 'the ledger does not open');
  for (const lease of world.store.leases()) {
    if (lease.pending !== undefined)
      report('L4', `${lease.key}: a write to ${lease.pending.to} is still open`);
    if (lease.phase !== 'idle') report('L2', `${lease.key} is still ${lease.phase}`);
  }
  for (const { phase, arn, request } of world.park.tasks.values())
    if (phase !== 'stopped') report('L3', `${arn} of ${request.turnId} still lives`);
  for (const overwrite of world.truth.memory.overwrites) {
    if (isLeftOverwritten(world.truth, overwrite))
      report(
        'L5',
        `${overwrite.card.id} was in ${overwrite.was} before our write, and nobody has put it back`,
      );
  }
  for (const board of world.boards)
    for (const card of board.cards.cards.values()) {
      const problem = whyUnlike(world, board, card);
      if (problem !== undefined) report('L1', `${card.id}: ${problem}`);
    }
  return problems;
}

/** Why the card does not stand where its people, and its turns, would have it. */
function whyUnlike(world: World, board: SimBoard, card: Card): string | undefined {
  const { wish } = card;
  const standing = standingOf(card);
  if (wish.column === 'gone' || card.gone) return undefined;
  if (world.truth.memory.replacedWishes.get(card) === wish.at) return undefined;
  const lease = world.store.lease(board.id, card.id);
  const mergedAt = board.cards.host.mergedAt(branchName(card.id));
  if (mergedAt !== undefined && world.story.policy.finishesMerged && world.story.policy.handsOff) {
    if (standing === 'terminal') return undefined;
    // Of an issue that the ledger does not know, only the label says that it is this board's.
    const isOurs = lease !== undefined || !lacksLabel(world, card);
    if (sameState(standing, 'In Review') && isOurs && isNews(board, lease, mergedAt))
      return 'waits in review, and its pull request was merged';
  }
  const isActive = wish.column === 'Todo' || wish.column === 'In Progress';
  if (isFinal(wish.column))
    return standing === 'terminal' ? undefined : `is ${standing}, and was finished by people`;
  if (!isActive)
    return sameState(standing, wish.column) ? undefined : `is ${standing}, and was put into ${wish.column}`;
  if (standing === 'terminal') return 'is finished, and was put to work by people';
  if (isForgotten(board, card, lease)) return 'was moved by a person, and is still parked as before';
  const mayStart = !board.cards.flavour.keepsMoves || wish.by === 'person';
  if (!mayStart || lacksLabel(world, card)) return undefined;
  if (sameState(standing, 'In Review')) return undefined;
  return waitsFor(world, board, card, lease) ? undefined : `is ${standing}, and nothing says why it waits`;
}

/** Nothing was done about the card since it was merged: no turn began, and nobody took it back. */
function isNews({ cards }: SimBoard, lease: Lease | undefined, mergedAt: number): boolean {
  const seen = lease?.seenState;
  if (seen !== undefined && (isFinal(seen) || seen === cards.states[4]?.name)) return false;
  return mergedAt >= (lease?.startedAt ?? lease?.claimedAt ?? 0);
}

/** A person's move resets a park; one that was undone at once cannot be seen. */
function isForgotten(board: SimBoard, card: Card, lease: Lease | undefined): boolean {
  if (lease?.parked === undefined || lease.seenState === undefined) return false;
  const isPersons = !board.cards.flavour.keepsMoves || card.movedBy === 'person';
  return isPersons && !sameState(standingOf(card), lease.seenState);
}

/** Whether there is a reason that only a person can remove. */
function waitsFor(world: World, board: SimBoard, card: Card, lease: Lease | undefined): boolean {
  const { policy } = world.story;
  if (lease?.parked !== undefined || (lease?.turns ?? 0) >= policy.maxTurns) return true;
  const blocker = card.plan.blockedBy === undefined ? undefined : board.cards.cards.get(card.plan.blockedBy);
  if (card.plan.blockedBy !== undefined && (blocker === undefined || standingOf(blocker) !== 'terminal'))
    return true;
  if (policy.usdPerIssue !== undefined && (lease?.spendUsd ?? 0) >= policy.usdPerIssue) return true;
  if (policy.tokensPerIssue !== undefined && (lease?.spendTokens ?? 0) >= policy.tokensPerIssue) return true;
  const spent = world.store
    .leases()
    .filter((one) => one.board === board.id)
    .reduce((sum, one) => sum + (one.spendDay?.usd ?? 0), 0);
  if (policy.usdPerDay !== undefined && spent >= policy.usdPerDay) return true;
  const waiting = [...board.cards.cards.values()].filter((one) => sameState(standingOf(one), 'In Review'));
  return policy.maxInHandoff !== undefined && waiting.length >= policy.maxInHandoff;
}

function lacksLabel({ story }: World, card: Card): boolean {
  return story.policy.needsLabel && !card.labels.includes('agent');
}

function sameState(a: string, b: string): boolean {
  return stateKey(a) === stateKey(b);
}
