import { expect, test } from 'vitest';
import { findSharedRepositories } from '../../lib/host/find-shared-repositories.ts';

const board = (name: string, repository: string) => ({
  board: name,
  kind: 'local',
  place: `/boards/${name}`,
  repository,
  workflow: `/boards/${name}.md`,
  activeStates: ['Todo'],
  handoffState: undefined,
});

test('boards on one repository are named together, and no other', async () => {
  const told = await findSharedRepositories([
    board('web', '/'),
    board('app', 'https://host.invalid/app.git'),
    board('docs', '/.'),
  ]);
  expect(told).toHaveLength(1);
  expect(told[0]).toContain('the boards web and docs work on the same repository /:');
});

test('boards on repositories of their own are no news', async () => {
  expect(await findSharedRepositories([board('a', '/nowhere/a'), board('b', '/nowhere/b')])).toEqual([]);
});
