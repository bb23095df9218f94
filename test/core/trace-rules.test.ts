import { describe, expect, test } from 'vitest';
import { checkTrace, traceRules } from '../../lib/core/trace-check.ts';
import { brokenPromises } from '../support/broken-promises.ts';
import { traceOf } from '../support/trace-story.ts';

for (const [rule, stories] of Object.entries(brokenPromises)) {
  describe(`the rule ${rule}, and no other, finds`, () => {
    test.each(Object.entries(stories))('%s', (_, story) => {
      const { violations } = checkTrace(traceOf(story));
      expect(violations.map((violation) => violation.rule)).toEqual([rule]);
    });
  });
}

/** What is said of the first story of each rule. */
const messages: Readonly<Record<string, string>> = {
  'one-live-turn': 'works while t1 of the same issue is not seen stopped',
  'no-claim-while-live': 'claimed while t1 is not seen stopped',
  'one-container': 'container other passed the gate after arn-of-t1',
  'no-start-after-end': 'started after its end',
  'release-by-evidence': 'released before its container was seen stopped',
  'settled-once': 'settled a second time',
  'claim-confirm-start': 'confirmed without a claim',
  'turn-claimed-once': 'claimed under a turnId that was used before',
  'attempt-rises': 'attempt 2 after attempt 2',
  'no-claim-while-writing': 'claimed while a write is not seen through',
  'parked-until-reset': 'claimed while parked',
  'retry-not-early': 'claimed 1 ms before its retry is due',
  'contract-valid': 'claimed in a tick whose contract did not hold',
  cap: 'holds slot 3 of 2',
  'epoch-once': 'a second tick took epoch 1',
  'write-announced': 'written without having been announced',
  'write-after-read': 'announced without a fresh read in the same run',
  'terminal-wins': 'written after the issue was seen closed',
  'declared-role': 'announced a write to In Review, whose role is terminal',
  'person-decides': 'announced over a state whose role is other',
  'no-write-after-stop': 'announced a write after its stop was asked for',
  'write-seen-through': 'settled while its write to In Review is not seen through',
};

test.each(Object.entries(messages))('the rule %s says: %s', (rule, message) => {
  const [story = []] = Object.values(brokenPromises[rule] ?? {});
  expect(checkTrace(traceOf(story)).violations.map((violation) => violation.message)).toEqual([message]);
});

test('every rule has a trace that breaks it', () => {
  expect(Object.keys(brokenPromises)).toEqual(traceRules.map(({ rule }) => rule));
});
