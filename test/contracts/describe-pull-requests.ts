import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { WantedPullRequest } from '../../lib/core/pull-request.ts';
import type { PullRequestsWorld } from './pull-requests-world.ts';

const branch = 'evenkeel/issue/a-1';

export function wanted(fields: Partial<WantedPullRequest> = {}): WantedPullRequest {
  return {
    branch,
    base: 'main',
    draft: true,
    title: 'Mend the gate',
    issue: { key: 'A-1' as WantedPullRequest['issue']['key'], url: undefined },
    closes: false,
    body: 'The work of attempt 1.',
    ...fields,
  };
}

/** What every port of pull requests promises. `make` gives a repository without any. */
export function describePullRequests(name: string, make: () => Promise<PullRequestsWorld>): void {
  describe(name, () => {
    let world: PullRequestsWorld;
    beforeEach(async () => {
      world = await make();
    });
    afterEach(() => world.dispose());
    const use = () => world;
    describe('opening', () => describeOpening(use));
    describe('one that is there', () => describeKeeping(use));
    describe('a decision of a person', () => describeDecisions(use));
    describe('trouble', () => describeTrouble(use));
    describe('looking for merges', () => describeMerges(use));
  });
}

const put = ({ pullRequests, repository }: PullRequestsWorld, fields: Partial<WantedPullRequest> = {}) =>
  pullRequests.put(repository, wanted(fields));
const statesOf = async (world: PullRequestsWorld) => (await world.seen(branch)).map(({ state }) => state);

function describeOpening(use: () => PullRequestsWorld): void {
  test('opens the one of a branch as it is wanted', async () => {
    await use().push(branch);
    const put1 = await put(use());
    const [seen, ...others] = await use().seen(branch);
    expect(others).toEqual([]);
    expect(put1).toEqual({ kind: 'open', number: seen?.number, url: expect.stringMatching(/^https?:\/\//) });
    expect(seen).toMatchObject({ state: 'open', title: 'Mend the gate', draft: true, base: 'main' });
    expect(seen?.body).toMatch(/Refs A-1\n\nThe work of attempt 1\./);
  });

  test('opens it ready for review, and closing its issue, where that is wanted', async () => {
    await use().push(branch);
    await put(use(), { draft: false, closes: true });
    expect(await use().seen(branch)).toMatchObject([
      { draft: false, body: expect.stringContaining('Closes A-1') },
    ]);
  });

  test('opens none for a branch that holds nothing new', async () => {
    await use().pushNothing(branch);
    expect(await put(use())).toBe('none');
    expect(await use().seen(branch)).toEqual([]);
  });

  test('opens none, and says so, for a branch that is not there', async () => {
    expect(await put(use())).toEqual({ kind: 'refused', problem: expect.stringContaining(branch) });
  });

  test('knows none of a repository that is elsewhere', async () => {
    await use().push(branch);
    expect(await use().pullRequests.put('/srv/git/web.git', wanted())).toBe('none');
    expect(await use().pullRequests.merged('/srv/git/web.git', 'main', [branch])).toEqual(new Map());
    expect(await use().seen(branch)).toEqual([]);
  });

  test('each branch has its own', async () => {
    await use().push(branch);
    await use().push('evenkeel/issue/a-2');
    const numbers = [await put(use()), await put(use(), { branch: 'evenkeel/issue/a-2' })];
    expect(new Set(numbers.map((one) => one !== 'none' && 'number' in one && one.number)).size).toBe(2);
  });
}

function describeKeeping(use: () => PullRequestsWorld): void {
  beforeEach(async () => {
    await use().push(branch);
    await put(use());
  });

  test('is the same one at the next turn, and only our block in it is written anew', async () => {
    const [before] = await use().seen(branch);
    await use().edit(branch, {
      title: 'A better title',
      body: `A word before.\n${before?.body}\nA word after.`,
      draft: false,
      base: 'develop',
    });
    await use().push(branch);
    expect(await put(use(), { title: 'Another title', body: 'The work of attempt 2.' })).toMatchObject({
      kind: 'open',
      number: before?.number,
    });
    const after = await use().seen(branch);
    expect(after).toMatchObject([{ title: 'A better title', draft: false, base: 'develop' }]);
    expect(after[0]?.body).toMatch(
      /^A word before\.\n[\s\S]*The work of attempt 2\.[\s\S]*\nA word after\.$/,
    );
    expect(after[0]?.body).not.toContain('attempt 1');
  });

  test('keeps the text of a person who took our block out', async () => {
    await use().edit(branch, { body: 'I say it in my own words.' });
    expect(await put(use(), { body: 'The work of attempt 2.' })).toMatchObject({ kind: 'open' });
    expect(await use().seen(branch)).toMatchObject([{ body: 'I say it in my own words.' }]);
  });

  test('stays as it is when it already says so', async () => {
    const before = await use().seen(branch);
    await put(use());
    expect(await use().seen(branch)).toEqual(before);
  });

  test('is named also after its branch was deleted', async () => {
    await use().merge(branch);
    await use().deleteBranch(branch);
    expect(await put(use())).toMatchObject({ kind: 'merged' });
  });
}

function describeDecisions(use: () => PullRequestsWorld): void {
  beforeEach(async () => {
    await use().push(branch);
    await put(use());
  });

  test.each(['merge', 'close'] as const)(
    'to %s it is final: nothing is written, none is opened',
    async (act) => {
      await use()[act](branch);
      const before = await use().seen(branch);
      await use().push(branch);
      const kind = act === 'merge' ? 'merged' : 'closed';
      expect(await put(use(), { body: 'The work of attempt 2.' })).toMatchObject({
        kind,
        number: before[0]?.number,
      });
      expect(await use().seen(branch)).toEqual(before);
    },
  );

  test('to open another one from the branch is followed: that is the one, in whatever base', async () => {
    await use().close(branch);
    await use().open(branch, 'develop');
    const [, theirs] = await use().seen(branch);
    expect(await put(use())).toMatchObject({ kind: 'open', number: theirs?.number });
    expect(await statesOf(use())).toEqual(['closed', 'open']);
    await use().close(branch);
    expect(await put(use())).toMatchObject({ kind: 'closed', number: theirs?.number });
  });

  test('to open another one after the merge is followed too', async () => {
    await use().merge(branch);
    await use().push(branch);
    await use().open(branch, 'main');
    const [, theirs] = await use().seen(branch);
    expect(await put(use())).toMatchObject({ kind: 'open', number: theirs?.number });
  });

  test('to merge goes before an older and a newer one that were closed', async () => {
    await use().close(branch);
    await use().open(branch, 'main');
    const merged = (await use().seen(branch))[1];
    await use().merge(branch);
    await use().push(branch);
    await use().open(branch, 'main');
    await use().close(branch);
    expect(await put(use())).toMatchObject({ kind: 'merged', number: merged?.number });
  });
}

function describeTrouble(use: () => PullRequestsWorld): void {
  beforeEach(() => use().push(branch));

  test('an answer that is lost throws, and the next one finds what was opened', async () => {
    use().loseAnswer();
    await expect(put(use())).rejects.toThrow();
    const [made] = await use().seen(branch);
    expect(await put(use())).toMatchObject({ kind: 'open', number: made?.number });
    expect(await statesOf(use())).toEqual(['open']);
  });

  test('several at the same time open one', async () => {
    const all = await Promise.all([put(use()), put(use()), put(use())]);
    expect(await statesOf(use())).toEqual(['open']);
    expect(new Set(all.map((one) => one !== 'none' && one.kind))).toEqual(new Set(['open']));
  });

  test('silence throws, of a write and of a look', async () => {
    await put(use());
    await use().merge(branch);
    use().breakDown();
    await expect(put(use())).rejects.toThrow();
    await expect(use().pullRequests.merged(use().repository, 'main', [branch])).rejects.toThrow();
  });
}

function describeMerges(use: () => PullRequestsWorld): void {
  const merged = (base = 'main', branches = [branch, 'evenkeel/issue/a-2']) =>
    use()
      .pullRequests.merged(use().repository, base, branches)
      .then((merges) => new Set(merges.keys()));
  const isMerged = new Set([branch]);
  const isNot = new Set();
  beforeEach(async () => {
    await use().push(branch);
    await put(use());
  });

  test('tells a merge, whether or not the branch was deleted since', async () => {
    expect(await merged()).toEqual(isNot);
    await use().merge(branch);
    expect(await merged()).toEqual(isMerged);
    await use().deleteBranch(branch);
    expect(await merged()).toEqual(isMerged);
  });

  test('tells when, to the second', async () => {
    const before = Date.now();
    await use().merge(branch);
    const merges = await use().pullRequests.merged(use().repository, 'main', [branch]);
    expect(merges.get(branch)).toBeGreaterThan(before - 1_000);
    expect(merges.get(branch)).toBeLessThanOrEqual(Date.now());
  });

  test('tells no merge of one that was closed, also when its branch is gone', async () => {
    await use().close(branch);
    await use().deleteBranch(branch);
    expect(await merged()).toEqual(isNot);
  });

  test('tells no merge into another base', async () => {
    await use().edit(branch, { base: 'develop' });
    await use().merge(branch);
    expect(await merged()).toEqual(isNot);
    expect(await merged('develop')).toEqual(isMerged);
  });

  test('tells no merge of a branch that holds something newer', async () => {
    await use().merge(branch);
    await use().push(branch);
    expect(await merged()).toEqual(isNot);
  });

  test('tells of every branch, however many there are', async () => {
    const branches = Array.from({ length: 130 }, (_, n) => `evenkeel/issue/b-${n}`);
    for (const one of branches) {
      await use().push(one);
      await use().open(one, 'main');
    }
    for (const one of branches) await use().merge(one);
    expect(await merged('main', [...branches, branch])).toEqual(new Set(branches));
  });

  test('asks for nothing where there is nothing to ask for', async () => {
    use().breakDown();
    expect(await merged('main', [])).toEqual(isNot);
  });
}
