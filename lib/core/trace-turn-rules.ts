import type { Fact } from './trace.ts';
import {
  contractNameOf,
  issueOf,
  type TraceRule,
  type TraceView,
  textOf,
  tickOf,
  turnOf,
} from './trace-view.ts';

/** Who may work, and when: one live turn per issue, ended by evidence, claimed by the rules. */
export const turnRules: readonly TraceRule[] = [
  {
    rule: 'one-live-turn',
    judges: ['turn-started', 'adopted', 'heartbeat'],
    broken: (fact, view) => {
      const isNews = !issueOf(view, fact)?.live.has(fact.turnId ?? '') && !turnOf(view, fact)?.stopped;
      const others = liveTurnsBeside(fact, view);
      return isNews && others !== ''
        ? `works while ${others} of the same issue is not seen stopped`
        : undefined;
    },
  },
  {
    rule: 'no-claim-while-live',
    judges: ['claim-confirmed'],
    broken: (fact, view) => {
      const others = liveTurnsBeside(fact, view);
      return others === '' ? undefined : `claimed while ${others} is not seen stopped`;
    },
  },
  {
    rule: 'one-container',
    judges: ['turn-started', 'adopted'],
    broken: (fact, view) => {
      const [first, second] = [turnOf(view, fact)?.arn, textOf(fact.arn)];
      const differ = first !== undefined && second !== undefined && first !== second;
      return differ ? `container ${second} passed the gate after ${first}` : undefined;
    },
  },
  {
    rule: 'no-start-after-end',
    judges: ['turn-started', 'adopted'],
    broken: (fact, view) => {
      const turn = turnOf(view, fact);
      if (!turn?.stopped && !turn?.released) return undefined;
      // The start of a container that ended at once may be told after its end.
      const isToldLate = turn.stoppedArn !== undefined && turn.stoppedArn === textOf(fact.arn);
      return isToldLate ? undefined : 'started after its end';
    },
  },
  {
    rule: 'release-by-evidence',
    judges: ['settled', 'released'],
    broken: (fact, view) => {
      const turn = turnOf(view, fact);
      return turn?.started && !turn.stopped
        ? `${fact.fact} before its container was seen stopped`
        : undefined;
    },
  },
  {
    rule: 'settled-once',
    judges: ['settled'],
    broken: (fact, view) => (turnOf(view, fact)?.settled ? 'settled a second time' : undefined),
  },
  {
    rule: 'claim-confirm-start',
    judges: ['claim-confirmed', 'launched', 'turn-started'],
    broken: (fact, view) => {
      const turn = turnOf(view, fact);
      const isKnownBefore = turn?.knownBefore ?? view.fromTheBeginning !== true;
      if (fact.turnId === undefined || isKnownBefore || turn?.adopted) return undefined;
      if (fact.fact === 'claim-confirmed') return turn?.claimed ? undefined : 'confirmed without a claim';
      return turn?.confirmed ? undefined : `${fact.fact} without a confirmed claim`;
    },
  },
];

/**
 * What a claim must respect, whoever makes it. Judged where it is confirmed: one that is made while the ledger is being
 * lost meets an item that knows nothing, and is never confirmed.
 */
export const claimRules: readonly TraceRule[] = [
  {
    rule: 'turn-claimed-once',
    judges: ['claimed'],
    broken: (fact, view) => {
      const turn = turnOf(view, fact);
      const wasUsed = turn?.claimed || turn?.started || turn?.settled;
      return wasUsed ? 'claimed under a turnId that was used before' : undefined;
    },
  },
  {
    rule: 'attempt-rises',
    judges: ['claim-confirmed'],
    broken: (fact, view) => {
      const turn = turnOf(view, fact);
      // A newer tick may release a claim, and use the next number, before the line of that claim is written.
      if (turn?.released) return undefined;
      const attempt = fact.attempt ?? turn?.attempt;
      const highest = issueOf(view, fact)?.highestAttempt ?? 0;
      return attempt !== undefined && attempt <= highest
        ? `attempt ${attempt} after attempt ${highest}`
        : undefined;
    },
  },
  {
    rule: 'no-claim-while-writing',
    judges: ['claim-confirmed'],
    broken: (fact, view) =>
      (issueOf(view, fact)?.writes.size ?? 0) > 0 ? 'claimed while a write is not seen through' : undefined,
  },
  {
    rule: 'parked-until-reset',
    judges: ['claim-confirmed'],
    broken: (fact, view) => (issueOf(view, fact)?.parked ? 'claimed while parked' : undefined),
  },
  {
    rule: 'retry-not-early',
    judges: ['claim-confirmed'],
    broken: (fact, view) => {
      const early = (issueOf(view, fact)?.retryAt ?? 0) - fact.time;
      return early > 0 ? `claimed ${early} ms before its retry is due` : undefined;
    },
  },
  {
    rule: 'contract-valid',
    judges: ['claimed'],
    broken: (fact, view) =>
      view.invalidContracts.has(contractNameOf(fact))
        ? 'claimed in a tick whose contract did not hold'
        : undefined,
  },
  {
    rule: 'cap',
    judges: ['claim-confirmed'],
    broken: (fact, view) => {
      const { live, cap, claims, releases } = tickOf(view, fact) ?? {};
      if (live === undefined || cap === undefined) return undefined;
      const held = live + Number(claims) + 1 - Number(releases);
      return held > cap ? `holds slot ${held} of ${cap}` : undefined;
    },
  },
  {
    rule: 'epoch-once',
    judges: ['tick-started'],
    broken: ({ epoch }, view) => {
      const isTaken = epoch !== undefined && view.epochs.has(epoch);
      return isTaken ? `a second tick took epoch ${epoch}` : undefined;
    },
  },
];

function liveTurnsBeside(fact: Fact, view: TraceView): string {
  return [...(issueOf(view, fact)?.live ?? [])].filter((turnId) => turnId !== fact.turnId).join(', ');
}
