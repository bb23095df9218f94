import { afterEach, beforeEach, expect, test } from 'vitest';
import { githubAccess } from '../../../lib/adapters/github/github-access.ts';
import { githubBoard } from '../../../lib/adapters/github/github-board.ts';
import type { StateName } from '../../../lib/core/issue.ts';
import { buildWorkflow } from '../../support/build-workflow.ts';
import { makeProjectWorld, type ProjectWorld } from '../../support/github/project-world.ts';

let world: ProjectWorld;
beforeEach(async () => {
  world = await makeProjectWorld();
});
afterEach(() => world.dispose());

const access = () =>
  githubAccess({
    identity: async () => ({ kind: 'token', token: world.server.token, gitToken: undefined }),
    quotaOf: 'token',
    userAgent: 'evenkeel/test',
  });

function boardOf(repository: string, isHosted?: boolean) {
  const tracker = { kind: 'github-project', project: 'acme/7', endpoint: world.server.endpoint } as const;
  const workflow = { ...buildWorkflow({ tracker }), repository };
  return githubBoard(workflow, {
    access: access(),
    lateWriteMs: 0,
    ...(isHosted !== undefined && { isHosted }),
  });
}

/** How many of two cards count: one of the workflow's own repository, and one of another. */
async function countedBy(board: ReturnType<typeof boardOf>): Promise<number | undefined> {
  world.addCard('Todo');
  world.addCard('Todo', world.server.state.repository('acme/api'));
  const listing = await board?.list(['Todo' as StateName]);
  return listing?.issues.length;
}

test.each(['acme/web', 'acme/web.git'])(
  'a project whose workflow names the repository %s counts its issues alone',
  async (repository) => {
    expect(await countedBy(boardOf(repository))).toBe(1);
  },
);

test.each([
  { repository: 'https://example.org/web.git', isHosted: undefined },
  { repository: 'acme/web', isHosted: false },
])(
  'a project whose work is done elsewhere counts the issues of every repository ($repository)',
  async (named) => {
    expect(await countedBy(boardOf(named.repository, named.isHosted))).toBe(2);
  },
);

test('a board of another kind is not made here', () => {
  const workflow = buildWorkflow({ tracker: { kind: 'local', project: 'board' } });
  expect(githubBoard(workflow, { access: access(), lateWriteMs: 0 })).toBeUndefined();
});
