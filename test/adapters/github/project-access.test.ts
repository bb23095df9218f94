import { afterEach, expect, test } from 'vitest';
import type { StateName } from '../../../lib/core/issue.ts';
import { makeProjectWorld, type ProjectWorld } from '../../support/github/project-world.ts';

/** Which projects can be served, and with which token. */

let world: ProjectWorld;
afterEach(() => world.dispose());

const app = { login: 'evenkeel[bot]', kind: 'Bot' } as const;

test('a project of a user is served with the token of a user', async () => {
  world = await makeProjectWorld({ ownerKind: 'User' });
  const { card } = world.addCard('Todo');
  expect(await world.tracker.states()).toHaveLength(6);
  expect((await world.tracker.list(['Todo' as StateName])).issues).toMatchObject([{ id: card.id }]);
});

test('an app is refused the project of a user, with the reason and the remedy', async () => {
  world = await makeProjectWorld({ ownerKind: 'User', viewer: app });
  world.addCard('Todo');
  const reason = /belongs to a user, and a GitHub App cannot see projects of users: use a token of acme/;
  await expect(world.tracker.states()).rejects.toThrow(reason);
  await expect(world.tracker.list(['Todo' as StateName])).rejects.toThrow(reason);
});

test.each<readonly [string, (made: ProjectWorld) => void, RegExp]>([
  [
    'is not there',
    ({ server }) => server.state.projects.all.pop(),
    /no project acme\/7, or the token may not see it/,
  ],
  [
    'is closed',
    ({ project }) => {
      project.closed = true;
    },
    /acme\/7 is closed/,
  ],
  [
    'may only be read',
    ({ project }) => {
      project.isWritable = false;
    },
    /may read the project acme\/7 and not write it/,
  ],
  [
    'has a repository that is archived',
    ({ repository }) => {
      repository.isArchived = true;
    },
    /acme\/web is archived/,
  ],
  [
    'has a repository that the token does not see',
    ({ server }) => server.state.repositories.pop(),
    /no repository acme\/web, or the token may not see it/,
  ],
])('a project that %s is told so', async (_, change, message) => {
  world = await makeProjectWorld();
  world.addCard('Todo');
  change(world);
  await expect(world.tracker.states()).rejects.toThrow(message);
});

test('a project that may only be read is not written', async () => {
  world = await makeProjectWorld();
  const { card } = world.addCard('Todo');
  const reading = await world.tracker.read(card.id as never);
  world.project.isWritable = false;
  if (reading.kind !== 'found') throw new Error('The card was not found.');
  expect((await world.tracker.transition(reading.issue, 'In Progress' as StateName)).kind).toBe('rejected');
});
