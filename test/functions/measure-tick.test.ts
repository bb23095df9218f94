import { expect, test } from 'vitest';
import { measureTick } from '../../functions/lambda/measure-tick.ts';
import { buildWorld } from '../support/world.ts';

test('a board that is not read for the sake of a quota counts as that, and not as a broken contract', async () => {
  const world = await buildWorld({ issues: [] });
  world.tracker.limit(world.clock.now() + 600_000);
  for (let n = 1; n <= 2; n += 1)
    expect(measureTick(await world.tick(), [])).toMatchObject({ ContractInvalid: 0, QuotaLow: 1 });
  world.tracker.limit(undefined);
  world.clock.step(600_000);
  expect(measureTick(await world.tick(), [])).toMatchObject({ ContractInvalid: 0, QuotaLow: 0 });
});

test('a board whose states cannot be read for another reason counts as one whose contract does not hold', async () => {
  const world = await buildWorld({ issues: [] });
  world.tracker.faults.fail('states', 9);
  expect(measureTick(await world.tick(), [])).toMatchObject({ ContractInvalid: 1, QuotaLow: 0 });
});
