import { describe, expect, test } from 'vitest';
import type { GitToken } from '../../lib/controller/ports.ts';
import { serveGitToken } from '../../lib/controller/serve-git-token.ts';
import { buildWorld } from '../support/world.ts';

const key = 'k'.repeat(40);

async function atWork(mint: (repository: string) => Promise<GitToken | 'none'>) {
  const world = await buildWorld({ issues: [{ id: 'A', state: 'Todo' }] });
  await world.run('A');
  const { turnId } = (await world.leaseOf('A'))!;
  const arn = await world.latestArn('A');
  const asked: string[] = [];
  const gitTokens = {
    mint: (repository: string) => {
      asked.push(repository);
      return mint(repository);
    },
  };
  const ask = (withKey = key, from: string = arn) =>
    serveGitToken({ ...world.ports, gitTokens }, turnId!, withKey, { arn: from });
  return { ...world, asked, ask };
}

const password = 'ghs_0';
const token = async () => ({
  username: 'x-access-token',
  password,
  expiresAt: undefined,
  revokeUrl: undefined,
});

describe('the access of a turn to its repository', () => {
  test('is for the repository that was frozen at the claim, and is kept nowhere', async () => {
    const world = await atWork(token);
    world.changeBoard({ repository: '/another.git' });
    expect(await world.ask()).toEqual({ answer: 'go', token: { username: 'x-access-token', password } });
    expect(world.asked).toEqual(['/repository.git']);
    expect(JSON.stringify([world.facts, await world.leaseOf('A')])).not.toContain(password);
  });

  test('is what the machine has where the deployment has none', async () => {
    const world = await atWork(async () => 'none');
    expect(await world.ask()).toEqual({ answer: 'go' });
  });

  test('is refused to another program and to another container', async () => {
    const world = await atWork(token);
    expect(await world.ask('x'.repeat(40))).toMatchObject({ answer: 'stop' });
    expect(await world.ask(key, 'arn-other')).toMatchObject({ answer: 'stop' });
    expect(world.asked).toEqual([]);
  });

  test('is refused before the start gate', async () => {
    const world = await buildWorld({ issues: [{ id: 'A', state: 'Todo' }] });
    await world.tick();
    const { turnId } = (await world.leaseOf('A'))!;
    const ports = { ...world.ports, gitTokens: { mint: token } };
    expect(await serveGitToken(ports, turnId!, key, { arn: await world.latestArn('A') })).toMatchObject({
      answer: 'stop',
    });
  });

  test('is still given to a turn that was told to stop, which may keep its commits', async () => {
    const world = await atWork(token);
    world.person.move('A', 'Backlog');
    await world.tick();
    expect((await world.leaseOf('A'))?.phase).toBe('stopping');
    expect(await world.ask()).toMatchObject({ answer: 'go', token: { password } });
  });

  test('is refused once the turn has ended', async () => {
    const world = await atWork(token);
    await world.exit('A');
    await world.tick();
    await world.tick();
    expect(await world.ask()).toMatchObject({ answer: 'stop' });
    expect(world.asked).toEqual([]);
  });

  test('is waited for while nobody can make it, and the turn learns why', async () => {
    const world = await atWork(async () => {
      throw new Error('rate limited');
    });
    expect(await world.ask()).toEqual({ answer: 'wait', reason: 'rate limited' });
  });

  test('waits while the ledger is lost', async () => {
    const world = await atWork(token);
    world.ledger.items.clear();
    expect(await world.ask()).toMatchObject({ answer: 'wait' });
  });
});
