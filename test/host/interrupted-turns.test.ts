import { afterEach, expect, test } from 'vitest';
import { appears, type HostWorld, makeHostWorld } from '../support/host-world.ts';

let world: HostWorld;
afterEach(() => world.end());

/** Ends the turn program, which is the parent of the agent's shell, but for the third time. */
const endsItsTurn =
  'cat > /dev/null; test -e ROOT/two && { echo ok > work.txt; exit 0; }; test -e ROOT/one && touch ROOT/two; touch ROOT/one; kill -TERM $PPID; sleep 60';

test('an agent that ends its own turn waits longer each time, and starts anew once a turn ends well', async () => {
  world = await makeHostWorld({ command: endsItsTurn, agentMore: '  max_retry_backoff_ms: 400\n' });
  world.addIssue('a-1', 'Todo');
  const host = await world.start({ untilIdle: true });
  expect(await host.ended).toEqual({ kind: 'idle', trouble: [] });
  const { operations, close } = await world.connect();
  const history = await operations.history('a-1');
  expect(history.map((turn) => [turn.class, turn.outcome])).toEqual([
    ['infrastructure', 'retry'],
    ['infrastructure', 'retry'],
    [null, 'handed-off'],
  ]);
  const retries = world.trace().filter(({ fact }) => fact === 'retry-scheduled');
  expect(retries.map((fact) => fact.class)).toEqual(['infrastructure', 'infrastructure']);
  expect(await operations.explain('a-1')).toMatchObject({ turns: 1, counters: { infrastructure: 0 } });
  await close();
});

test('a host that is stopped again and again uses up nothing of the issue whose turns it ends', async () => {
  world = await makeHostWorld({
    command: 'cat > /dev/null; test -e ROOT/begun-1 && touch ROOT/begun-2; touch ROOT/begun-1; sleep 60',
  });
  world.addIssue('a-1', 'Todo');
  for (const attempt of [1, 2]) {
    const host = await world.start();
    await appears(world, `begun-${attempt}`);
    await host.stop();
  }
  const { operations, close } = await world.connect();
  expect(await operations.history('a-1')).toMatchObject([
    { class: 'infrastructure', outcome: 'recheck' },
    { class: 'infrastructure', outcome: 'recheck' },
  ]);
  expect(await operations.explain('a-1')).toMatchObject({
    nextAt: null,
    counters: { agent: 0, infrastructure: 0 },
  });
  await close();
});
