import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { makeTurnWorld, type TurnWorld } from '../support/turn-world.ts';

let world: TurnWorld;
afterEach(() => world.end());

const branch = 'evenkeel/issue/web-1';
const wip = 'evenkeel/wip/web-1';
const work = 'echo new > new.txt';

describe('a branch whose name is in the way', () => {
  test.each(['evenkeel', 'evenkeel/issue', `${branch}/more`])(
    'is found out before the agent begins: %s',
    async (name) => {
      world = await makeTurnWorld({ command: trace() });
      world.host.push(name, {}, 'main');
      const { result } = await world.run();
      expect(result).toMatchObject({
        failure: { class: 'policy', kind: 'branch-name-taken', retryable: false },
      });
      expect(result?.failure?.detail).toContain(`"${name}" is in the way`);
      expect(result?.failure?.detail).toContain('rename or delete it');
      expect(hasBegun()).toBe(false);
    },
  );

  test('that somebody makes during the turn is the policy’s fault, and the work is bundled', async () => {
    world = await makeTurnWorld({ command: `sleep 1; ${work}` });
    duringTheTurn(() => world.host.push('evenkeel', {}, 'main'));
    const { result } = await world.run();
    expect(result).toMatchObject({
      failure: { class: 'policy', kind: 'branch-name-taken', retryable: false },
      git: { pushed: false, bundle: expect.stringContaining('work.bundle') },
    });
    expect(result?.failure?.detail).toContain('"evenkeel" is in the way');
  });
});

describe('a lock on the branch', () => {
  const lock = () => join(world.host.address, 'refs', 'heads', `${branch}.lock`);
  function makeLock() {
    mkdirSync(join(lock(), '..'), { recursive: true });
    writeFileSync(lock(), '');
  }

  test('that stays counts as a failed delivery and names the file to remove', async () => {
    world = await makeTurnWorld({ command: work });
    makeLock();
    const { result } = await world.run({ hasty: { transferPatienceMs: 300 } });
    expect(result).toMatchObject({
      failure: { class: 'delivery', kind: 'branch-held', retryable: true },
      git: { pushed: false, wipBranch: wip },
    });
    expect(result?.failure?.detail).toContain('*.lock');
  });

  test('that goes away in a moment is waited for', async () => {
    world = await makeTurnWorld({ command: work });
    makeLock();
    // The code host itself lets go of it after the first refusal.
    const seen = join(world.traces, 'seen');
    world.host.check(`test -e ${seen} && rm -f ${lock()}; touch ${seen}`);
    expect((await world.run()).result).toMatchObject({ status: 'completed', git: { pushed: true } });
  });
});

test('a repository that is a shallow clone is the policy’s fault, with the remedy', async () => {
  world = await makeTurnWorld({ command: trace() });
  world.host.push('main', { 'second.txt': '2' }, 'main');
  const shallow = join(world.traces, 'shallow');
  execFileSync('git', ['clone', '-q', '--depth', '1', `file://${world.host.address}`, shallow]);
  Object.assign(world.instructions, { repository: shallow });
  const { result } = await world.run();
  expect(result).toMatchObject({
    failure: { class: 'policy', kind: 'repository-shallow', retryable: false },
  });
  expect(result?.failure?.detail).toContain('git fetch --unshallow');
  execFileSync('git', ['fetch', '-q', '--unshallow'], { cwd: shallow });
  expect((await world.run()).result).toMatchObject({ status: 'completed' });
});

describe('a working copy on this machine in which the issue’s branch is checked out', () => {
  function makeCopy(): (...args: readonly string[]) => void {
    const copy = join(world.traces, 'copy');
    execFileSync('git', ['clone', '-q', world.host.address, copy]);
    Object.assign(world.instructions, { repository: copy });
    return (...args) => void execFileSync('git', args, { cwd: copy });
  }

  test('is found out before the agent begins, with the remedy', async () => {
    world = await makeTurnWorld({ command: trace() });
    makeCopy()('checkout', '-q', '-b', branch);
    const { result } = await world.run();
    expect(result).toMatchObject({
      failure: { class: 'policy', kind: 'branch-checked-out', retryable: false },
    });
    expect(result?.failure?.detail).toContain('check out another one there');
    expect(hasBegun()).toBe(false);
  });

  test('in another of its folders is found out, too', async () => {
    world = await makeTurnWorld({ command: trace() });
    makeCopy()('worktree', 'add', '-q', '-b', branch, join(world.traces, 'other'));
    expect((await world.run()).result?.failure?.kind).toBe('branch-checked-out');
    expect(hasBegun()).toBe(false);
  });

  test('gets the work when it is set up to take it', async () => {
    world = await makeTurnWorld({ command: work });
    const git = makeCopy();
    git('checkout', '-q', '-b', branch);
    git('config', 'receive.denyCurrentBranch', 'updateInstead');
    expect((await world.run()).result).toMatchObject({ status: 'completed', git: { pushed: true } });
    expect(existsSync(join(world.traces, 'copy', 'new.txt'))).toBe(true);
  });

  test('only during the turn is the policy’s fault all the same, and the work is kept', async () => {
    world = await makeTurnWorld({ command: `sleep 1; ${work}` });
    const git = makeCopy();
    git('branch', branch);
    duringTheTurn(() => git('checkout', '-q', branch));
    expect((await world.run()).result).toMatchObject({
      failure: { class: 'policy', kind: 'branch-checked-out' },
      git: { wipBranch: wip },
    });
  });
});

test('work in progress that stands on the branch of an attempt is there for the next turn', async () => {
  world = await makeTurnWorld({ command: `git show origin/${wip}.11:kept.txt > found.txt` });
  for (const name of [wip, ...Array.from({ length: 11 }, (_, at) => `${wip}.${at + 1}`)])
    world.host.push(name, { 'kept.txt': name }, 'main');
  world.host.push(`${wip}.other`, { 'kept.txt': 'of another issue' }, 'main');
  expect((await world.run()).result).toMatchObject({ status: 'completed', git: { commits: 1 } });
  expect(world.host.read(branch, 'found.txt')).toBe(`${wip}.11`);
  const fetched = execFileSync('git', ['branch', '--list', '--format=%(refname:short)', `${wip}*`], {
    cwd: join(world.dir, 'repo.git'),
    encoding: 'utf8',
  });
  expect(fetched).not.toContain('other');
});

/** A command of an agent that leaves a trace. */
function trace(): string {
  return 'echo begun > "$TMPDIR/begun"';
}

function hasBegun(): boolean {
  return existsSync(join(world.dir, 'tmp', 'begun'));
}

/** Does something once while the agent works. */
function duringTheTurn(act: () => void): void {
  let isDone = false;
  world.api.says.heartbeat = ({ step }) => {
    if (step === 'agent' && !isDone) {
      isDone = true;
      act();
    }
    return { answer: 'go' };
  };
}
