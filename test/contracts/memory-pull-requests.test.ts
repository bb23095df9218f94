import { MemoryPullRequests } from '../support/memory-pull-requests.ts';
import { describePullRequests } from './describe-pull-requests.ts';
import type { PullRequestsWorld } from './pull-requests-world.ts';

describePullRequests('pull requests in memory', async (): Promise<PullRequestsWorld> => {
  const host = new MemoryPullRequests();
  return {
    pullRequests: host,
    repository: host.repository,
    push: async (branch) => host.push(branch),
    pushNothing: async (branch) => host.pushNothing(branch),
    deleteBranch: async (branch) => host.deleteBranch(branch),
    merge: async (branch) => host.merge(branch),
    close: async (branch) => host.close(branch),
    open: async (branch, base) => host.open(branch, base),
    edit: async (branch, change) => void Object.assign(host.of(branch).at(-1)!, change),
    seen: async (branch) =>
      host.of(branch).map(({ number, state, title, body, draft, base }) => ({
        ...{ number, state, title, body, draft, base },
      })),
    loseAnswer: () => host.loseAnswer(),
    breakDown: () => host.failAll(true),
    dispose: async () => undefined,
  };
});
