import { describe, expect, test } from 'vitest';
import type { WorkPlace } from '../../lib/controller/ports.ts';
import { serveKeepWork } from '../../lib/controller/serve-keep-work.ts';
import { buildWorld } from '../support/world.ts';

const key = 'k'.repeat(40);
const place: WorkPlace = { uploadUrl: 'https://kept.example.com/1?signed', address: 's3://kept/1' };

async function atWork(offered: WorkPlace | 'none' = place) {
  const world = await buildWorld({ issues: [{ id: 'A', state: 'Todo' }] });
  await world.run('A');
  const { turnId } = (await world.leaseOf('A'))!;
  const arn = await world.latestArn('A');
  const asked: unknown[] = [];
  const workStore = {
    offer: async (...what: unknown[]) => {
      asked.push(what);
      return offered;
    },
  };
  const ask = (withKey = key, from: string = arn) =>
    serveKeepWork({ ...world.ports, workStore }, turnId!, withKey, { arn: from, bytes: 7 });
  return { ...world, turnId, asked, ask };
}

describe('the place for what a turn could put on no branch', () => {
  test('is told to the turn, and to nobody who reads logs or the ledger', async () => {
    const world = await atWork();
    expect(await world.ask()).toEqual({ answer: 'go', place });
    expect(world.asked).toEqual([[world.turnId, 7]]);
    expect(JSON.stringify([world.facts, await world.leaseOf('A')])).not.toContain('signed');
  });

  test('is none where the folders of turns stay', async () => {
    expect(await (await atWork('none')).ask()).toEqual({ answer: 'go' });
  });

  test('is still told to a turn that was told to stop', async () => {
    const world = await atWork();
    world.person.move('A', 'Backlog');
    await world.tick();
    expect(await world.ask()).toMatchObject({ answer: 'go' });
  });

  test('is told to no other program, container or ended turn', async () => {
    const world = await atWork();
    expect(await world.ask('x'.repeat(40))).toMatchObject({ answer: 'stop' });
    expect(await world.ask(key, 'arn-other')).toMatchObject({ answer: 'stop' });
    await world.exit('A');
    await world.tick();
    await world.tick();
    expect(await world.ask()).toMatchObject({ answer: 'stop' });
    expect(world.asked).toEqual([]);
  });

  test('is waited for while the ledger is lost', async () => {
    const world = await atWork();
    world.ledger.items.clear();
    expect(await world.ask()).toMatchObject({ answer: 'wait' });
  });
});
