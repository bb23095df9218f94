import type { TrackerQuota } from '../../../lib/core/tracker-quota.ts';
import type { Proc } from '../kernel.ts';
import { callPart, type PartCall, type Setting } from './calls.ts';
import type { CardBoard } from './card-board.ts';
import { LimitedTrouble, refuses } from './tracker-limit.ts';
import { risksOf, type TrackerCall } from './tracker-risks.ts';

export type Caller = <Answer>(
  operation: TrackerCall,
  about: string,
  effect: PartCall<Answer>['effect'],
) => Promise<Answer>;

/** What one process asks of a board. What it was told of a limit it knows, and no other process does. */
export interface TrackerCalls {
  readonly call: Caller;
  readonly quota: () => TrackerQuota | undefined;
}

const writes: readonly TrackerCall[] = ['transition', 'restore', 'take-back', 'comment'];

export function trackerCalls(setting: Setting, proc: Proc, { flavour }: CardBoard): TrackerCalls {
  const { kernel, limit } = setting;
  const risks = risksOf(flavour);
  let requests = 0;
  let refusal: LimitedTrouble | undefined;
  const ahead = () => (refusal !== undefined && refusal.until > kernel.now() ? refusal : undefined);
  return {
    quota: () =>
      flavour.place === 'machine'
        ? undefined
        : { requests, points: requests, remaining: undefined, limitedUntil: ahead()?.until },
    async call(operation, about, effect) {
      const known = ahead();
      if (known !== undefined && refuses(known.kind, operation)) throw known;
      requests += 1;
      try {
        return await callPart(setting, proc, 'tracker', {
          operation,
          about,
          risks: risks[operation],
          effect(fault, ms) {
            limit.admit(operation, fault, ms);
            return effect(fault, ms);
          },
          isRead: !writes.includes(operation),
        });
      } catch (error) {
        if (error instanceof LimitedTrouble) refusal = error;
        throw error;
      }
    },
  };
}
