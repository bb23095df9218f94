import { describe, expect, test } from 'vitest';
import { measureTick } from '../../functions/lambda/measure-tick.ts';
import { buildWorkflow } from '../support/build-workflow.ts';
import { buildWorld, completed, failed } from '../support/world.ts';

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

test('a tick that could not see its issues or its tasks is no completed one, because nobody would be told otherwise', async () => {
  const world = await buildWorld({ issues: [{ id: 'A', state: 'Todo' }] });
  await world.tick();
  world.runner.fail('describe', true);
  const blind = await world.tick();
  expect(measureTick(blind, [])).not.toHaveProperty('TicksCompleted');
  expect(blind).toMatchObject({
    summary: { problems: [expect.stringMatching(/how its tasks stand is not known: .*describe/)] },
  });
  world.runner.fail('describe', false);
  expect(measureTick(await world.tick(), [])).toHaveProperty('TicksCompleted', 1);
  world.tracker.faults.fail('list', 9);
  const deaf = await world.tick();
  expect(measureTick(deaf, [])).not.toHaveProperty('TicksCompleted');
  expect(deaf).toMatchObject({
    summary: { problems: [expect.stringMatching(/^board .*: the active issues could not be listed: /)] },
  });
});

describe('parked issues are measured', () => {
  const once = buildWorkflow({ agent: { max_failures: 1 } });
  const park = async (workflow = once) => {
    const world = await buildWorld({ issues: [{ id: 'A', state: 'Todo' }], workflow });
    await world.run('A');
    await world.result('A', failed('agent'));
    await world.exit('A');
    await world.stoppedEvent('A');
    return world;
  };

  test('also where the card of one waits for its person in the hand-off column, until that moves it', async () => {
    const world = await park();
    expect(world.tracker.seen.stateOf('A')).toBe('In Review');
    for (let n = 1; n <= 2; n += 1)
      expect(measureTick(await world.tick(), [])).toMatchObject({ ParkedIssues: 1, RunningTurns: 0 });
    world.person.move('A', 'Done');
    await world.tick();
    expect(measureTick(await world.tick(), [])).toMatchObject({ ParkedIssues: 0 });
  });

  test('and one that was handed over with its work is none', async () => {
    const world = await buildWorld({ issues: [{ id: 'A', state: 'Todo' }], workflow: once });
    await world.run('A');
    expect(measureTick(await world.tick(), [])).toMatchObject({ RunningTurns: 1 });
    await world.result('A', completed);
    await world.exit('A');
    await world.stoppedEvent('A');
    expect(measureTick(await world.tick(), [])).toMatchObject({ ParkedIssues: 0, RunningTurns: 0 });
  });
});
