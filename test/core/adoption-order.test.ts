import { expect, test } from 'vitest';
import { adoptionOrder } from '../../lib/core/adoption-order.ts';
import type { Arn, BoardId, IssueId, TurnId } from '../../lib/core/issue.ts';
import type { LiveTask } from '../../lib/core/observation.ts';

const task = (arn: string, attempt: number, isBooting?: true): LiveTask => ({
  arn: arn as Arn,
  turnId: `${attempt}-a` as TurnId,
  board: 'b' as BoardId,
  issueId: 'i' as IssueId,
  attempt,
  capStates: [],
  isBooting,
});

test('the newest attempt is adopted first, and of its containers one whose program has begun', () => {
  const tasks = [task('old', 1), task('booting', 2, true), task('at work', 2), task('new, booting', 3, true)];
  expect(adoptionOrder(tasks).map(({ arn }) => arn)).toEqual(['new, booting', 'at work', 'booting', 'old']);
});
