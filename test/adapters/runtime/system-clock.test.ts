import { expect, test } from 'vitest';
import { systemClock } from '../../../lib/adapters/runtime/system-clock.ts';

test('a clock that is set back stands still until time has come up again', () => {
  const times = [100, 90, 95, 101];
  const clock = systemClock(() => times.shift()!);
  expect([clock.now(), clock.now(), clock.now(), clock.now()]).toEqual([100, 100, 100, 101]);
});
