import { expect, test } from 'vitest';
import type { BoardId, IssueId, IssueKey, StateName } from '../../lib/core/issue.ts';
import { type Lease, unclaimedLease } from '../../lib/core/lease.ts';
import { isStuck } from '../../lib/core/stuck.ts';

const now = 10_000_000;
const long = now - 600_000;
const pending = { turnId: undefined, to: 'done' as StateName, from: undefined, by: 'x' };

test.each<readonly [string, Partial<Lease>, boolean]>([
  [
    'is told to stop long ago',
    { phase: 'stopping', stop: { reason: 'terminal', at: long, detail: '' } },
    true,
  ],
  [
    'is told to stop just now',
    { phase: 'stopping', stop: { reason: 'terminal', at: long + 1, detail: '' } },
    false,
  ],
  ['has ended long ago', { phase: 'ending', endedAt: long }, true],
  ['has ended just now', { phase: 'ending', endedAt: long + 1 }, false],
  ['owes a write for long', { phase: 'idle', pending: { ...pending, seenAt: long } }, true],
  ['owes a write that was just seen', { phase: 'idle', pending: { ...pending, seenAt: long + 1 } }, false],
  ['owes a write that no tick has seen', { phase: 'idle', pending }, false],
  ['runs for hours', { phase: 'running', startedAt: 0, endedAt: 0 }, false],
  ['was let go, whatever it says of its past', { phase: 'idle', endedAt: 0 }, false],
])('a lease that %s', (_, by, stuck) => {
  const lease = { ...unclaimedLease('b' as BoardId, 'i' as IssueId, 'B-1' as IssueKey), ...by };
  expect(isStuck(lease, now)).toBe(stuck);
});
