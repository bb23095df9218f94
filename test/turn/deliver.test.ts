import { afterEach, expect, test } from 'vitest';
import { makeTurnWorld, type TurnWorld } from '../support/turn-world.ts';

let world: TurnWorld;
afterEach(() => world.end());

const branch = 'evenkeel/issue/web-1';
const wip = 'evenkeel/wip/web-1';
const work = 'echo new > new.txt';

test('work that an agent commits reaches the issue’s branch', async () => {
  world = await makeTurnWorld({
    command: 'cat > prompt.txt && git add prompt.txt && git commit -q -m done',
  });
  const { result, exitCode, outcome } = await world.run();
  expect(exitCode).toBe(0);
  expect(result).toMatchObject({ status: 'completed', git: { pushed: true, commits: 1, files: 1 } });
  expect(outcome).toEqual(result);
  expect(world.host.read(branch, 'prompt.txt')).toBe('Please do what the issue says.');
  expect(world.host.branch(branch)).toBe(result?.git?.headSha);
});

test.each([
  ['echo "error: GH006: Protected branch update failed." >&2; exit 1', 'protected-branch', 'GH006'],
  ['echo "error: GH013: Repository rule violations found." >&2; exit 1', 'ruleset', 'GH013'],
  ['echo "error: GH001: Large files detected." >&2; exit 1', 'large-file', 'GH001'],
  [
    'echo "refusing to allow an App to create or update workflow without workflows permission" >&2; exit 1',
    'workflow-permission',
    'workflow files',
  ],
  ['echo "We do not like it." >&2; exit 1', 'push-refused', 'hook declined'],
])('a code host that says no with %j is not asked again', async (check, kind, says) => {
  world = await makeTurnWorld({ command: work });
  world.host.check(`while read -r old new ref; do case $ref in */issue/*) ${check};; esac; done`);
  const { result } = await world.run();
  expect(result).toMatchObject({
    status: 'failed',
    failure: { class: 'delivery', kind, retryable: false },
    git: { pushed: false, wipBranch: wip },
  });
  expect(result?.failure?.detail).toContain(says);
  expect(world.host.read(wip, 'new.txt')).toBe('new');
});

test('a push that git calls done, and that no branch at the code host shows, is no delivery', async () => {
  world = await makeTurnWorld({ command: work });
  // It takes what it gets, and forgets it.
  world.host.check(
    'while read -r old new ref; do case $ref in */issue/*) git update-ref -d "$ref";; esac; done',
    'post-receive',
  );
  const { result } = await world.run();
  expect(result).toMatchObject({
    status: 'failed',
    failure: { class: 'delivery', kind: 'push-not-seen', retryable: true },
    git: { pushed: false, wipBranch: wip },
  });
  expect(world.host.read(wip, 'new.txt')).toBe('new');
});

test('a branch that moves on right after the push is delivered', async () => {
  world = await makeTurnWorld({ command: work });
  const tree = '$(git commit-tree -p "$new" -m more "$new^{tree}")';
  world.host.check(
    `export ${'GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x@example.com GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x@example.com'}
while read -r old new ref; do git update-ref "$ref" "${tree}"; done`,
    'post-receive',
  );
  const { result } = await world.run();
  expect(result).toMatchObject({ status: 'completed', git: { pushed: true } });
  expect(world.host.git('rev-parse', `${branch}^`)).toBe(result?.git?.headSha);
});

test('a branch that somebody creates during the turn is not overwritten', async () => {
  world = await makeTurnWorld({ command: work });
  const moved = pushMeanwhile();
  const { result } = await world.run();
  expect(result).toMatchObject({
    status: 'failed',
    failure: { class: 'delivery', kind: 'branch-moved', retryable: true },
    git: { pushed: false, wipBranch: wip },
  });
  expect(world.host.branch(branch)).toBe(moved());
});

test('a branch that somebody moves forward during the turn is not overwritten, though the push would fit', async () => {
  world = await makeTurnWorld({
    command: `git fetch -q origin && git merge -q --ff-only origin/${branch}; ${work}`,
  });
  const before = world.host.push(branch, { 'first.txt': '1' }, 'main');
  const moved = pushMeanwhile(branch);
  const { result } = await world.run();
  expect(result).toMatchObject({ failure: { kind: 'branch-moved' }, git: { expectedSha: before } });
  expect(world.host.branch(branch)).toBe(moved());
});

test('two turns that end without a delivery keep the work of both', async () => {
  world = await makeTurnWorld({ command: `${work}; exit 1` });
  const first = (await world.run()).result;
  const repository = world.host.address;
  const later = await makeTurnWorld({ command: 'echo other > other.txt; exit 1', repository, attempt: 2 });
  try {
    const second = (await later.run()).result;
    expect(first).toMatchObject({ git: { wipBranch: wip } });
    expect(second).toMatchObject({ git: { wipBranch: `${wip}.2` } });
    expect(world.host.branch(wip)).toBe(first?.git?.headSha);
    expect(world.host.branch(`${wip}.2`)).toBe(second?.git?.headSha);
  } finally {
    await later.end();
  }
});

test('work in progress that goes on from that of an earlier turn stays on the one branch', async () => {
  world = await makeTurnWorld({
    command: `git fetch -q origin && git merge -q --ff-only origin/${wip}; ${work}; exit 1`,
  });
  world.host.push(wip, { 'old.txt': 'old' }, 'main');
  expect((await world.run()).result).toMatchObject({ git: { wipBranch: wip } });
  expect(world.host.read(wip, 'new.txt')).toBe('new');
  expect(world.host.read(wip, 'old.txt')).toBe('old');
});

test('work for which no branch is free is bundled, and overwrites nothing', async () => {
  world = await makeTurnWorld({ command: `${work}; exit 1` });
  const taken = [wip, `${wip}.1`].map((name) => [name, world.host.push(name, { [name]: 'x' }, 'main')]);
  expect((await world.run()).result?.git?.bundle).toContain('work.bundle');
  expect(taken.map(([name = '']) => [name, world.host.branch(name)])).toEqual(taken);
});

test('a code host that takes nothing at all leaves the work in a bundle', async () => {
  world = await makeTurnWorld({ command: work });
  world.host.check('exit 1');
  const { result } = await world.run();
  expect(result).toMatchObject({ failure: { kind: 'push-refused' }, git: { pushed: false } });
  expect(result?.git?.bundle).toContain('work.bundle');
});

test('a repository that is not there is the policy’s fault', async () => {
  world = await makeTurnWorld({ command: work, repository: '/nowhere/at/all.git' });
  expect((await world.run()).result).toMatchObject({
    failure: { class: 'policy', kind: 'repository-not-found', retryable: false },
  });
});

test('a base that is not there is the policy’s fault', async () => {
  world = await makeTurnWorld({ command: work, base: 'trunk' });
  const { result } = await world.run();
  expect(result).toMatchObject({ failure: { class: 'policy', kind: 'base-not-found', retryable: false } });
  expect(result?.failure?.detail).toContain('trunk');
});

test('a code host that does not answer is nobody’s fault, and its address is shown without what stands in it', async () => {
  world = await makeTurnWorld({ command: work, repository: 'http://user:secret-word@127.0.0.1:9/x.git' });
  const { result, log } = await world.run({ hasty: { transferPatienceMs: 300 } });
  expect(result).toMatchObject({
    failure: { class: 'infrastructure', kind: 'git-host-unreachable', retryable: true },
  });
  expect(JSON.stringify(result) + log).not.toContain('secret-word');
});

test('a turn that would write to its own base does not begin', async () => {
  world = await makeTurnWorld({ command: work, branch: 'main' });
  expect((await world.run()).result).toMatchObject({
    failure: { class: 'policy', kind: 'repository-unfit' },
  });
});

test('hooks run around the agent, in its workspace', async () => {
  world = await makeTurnWorld({
    command: 'cat after_create before_run > seen.txt',
    hooks: {
      after_create: 'echo 1 > after_create',
      before_run: 'echo 2 > before_run',
      after_run: 'echo 3 > after_run; exit 9',
    },
  });
  expect((await world.run()).result).toMatchObject({ status: 'completed' });
  expect(world.host.read(branch, 'seen.txt')).toBe('1\n2');
  expect(world.host.read(branch, 'after_run')).toBe('3');
});

test.each([
  ['fails', 'echo no; exit 2', 'exit code 2'],
  ['hangs', 'sleep 60', 'longer than 500 ms'],
])('a hook that %s ends the turn before the agent begins', async (_, hook, says) => {
  world = await makeTurnWorld({ command: work, hooks: { before_run: hook, timeout_ms: 500 } });
  const { result } = await world.run();
  expect(result).toMatchObject({ status: 'failed', failure: { class: 'policy', kind: 'hook-failed' } });
  expect(result?.failure?.detail).toContain(says);
  expect(world.alive()).toEqual([]);
  expect(world.host.branch(branch)).toBeUndefined();
});

test('what a hook starts in the background is there for the agent and ends with it', async () => {
  world = await makeTurnWorld({
    command: 'sleep 0.3; kill -0 $(cat pid) && rm pid && echo new > new.txt',
    hooks: { before_run: 'setsid sleep 60 > /dev/null 2>&1 & echo $! > pid' },
  });
  expect((await world.run()).result).toMatchObject({ status: 'completed', git: { pushed: true } });
  expect(world.alive()).toEqual([]);
});

/** Somebody pushes to the branch while the agent works; tells afterwards where the branch was put. */
function pushMeanwhile(from = 'main'): () => string | undefined {
  let sha: string | undefined;
  world.api.says.heartbeat = ({ step }) => {
    if (step === 'agent') sha ??= world.host.push(branch, { 'theirs.txt': 'theirs' }, from);
    return { answer: 'go' };
  };
  world.instructions.agent.command = `sleep 1; ${world.instructions.agent.command}`;
  return () => sha;
}
