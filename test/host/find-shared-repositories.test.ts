import { expect, test } from 'vitest';
import { findSharedRepositories } from '../../lib/host/find-shared-repositories.ts';

const board = (name: string, repository: string, kind = 'local') => ({
  board: name,
  kind,
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

test('boards at GitHub on one repository share no branch: no two of them have issues of equal ids', async () => {
  const address = 'https://github.com/acme/web.git';
  const boards = [board('web', address, 'github'), board('acme-7', address, 'github-project')];
  expect(await findSharedRepositories([...boards, board('local', address)])).toEqual([]);
});

test('boards on repositories of their own are no news', async () => {
  expect(await findSharedRepositories([board('a', '/nowhere/a'), board('b', '/nowhere/b')])).toEqual([]);
});
