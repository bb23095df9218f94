import { describe, expect, test } from 'vitest';
import { join } from '../../lib/core/turn-writes.ts';
import { settleLeftovers } from '../../lib/host/end-turns.ts';
import { buildWorkflow } from '../support/build-workflow.ts';
import { buildWorld, failed, type World } from '../support/world.ts';

async function ended(...others: readonly string[]): Promise<World> {
  const workflow = buildWorkflow({ agent: { max_failures: 1 } });
  const world = await buildWorld({ issues: ['A', ...others].map((id) => ({ id, state: 'Todo' })), workflow });
  await world.run('A');
  for (const other of others) await world.start(other);
  await world.result('A', failed('agent'));
  await world.exit('A');
  return world;
}

const noProblem = (message: string) => {
  throw new Error(message);
};

describe('what is left open of ended turns when a host ends', () => {
  test('is settled: a handler that was overtaken once the card had been moved', async () => {
    const world = await ended();
    const { board, issueId, turnId } = (await world.leaseOf('A'))!;
    world.ledger.faults.beforeWrite = async ({ operation }) => {
      if (operation !== 'settle') return;
      world.ledger.faults.beforeWrite = undefined;
      await world.ledger.changeLease('gen', board, issueId, join(turnId!, 'a tick that is gone').change);
    };
    await world.stoppedEvent('A');
    expect(world.tracker.seen.stateOf('A')).toBe('In Review');
    expect(await world.leaseOf('A')).toMatchObject({ phase: 'ending' });

    await settleLeftovers(world.ports, noProblem);

    expect(await world.leaseOf('A')).toMatchObject({ phase: 'idle', parked: { reason: 'failures' } });
    expect(world.tracker.seen.comments('A')).toHaveLength(1);
    expect(world.violations()).toEqual([]);
  });

  test('is left to the next start where it cannot be settled now, and turns that run are let be', async () => {
    const world = await ended('B');
    world.tracker.faults.fail('read', 9);
    await settleLeftovers(world.ports, noProblem);
    expect(await world.leaseOf('A')).toMatchObject({ phase: 'ending' });
    expect(await world.leaseOf('B')).toMatchObject({ phase: 'running' });
  });
});
