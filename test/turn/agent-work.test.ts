import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { makeTurnWorld, type TurnWorld, until } from '../support/turn-world.ts';

let world: TurnWorld;
afterEach(() => world.end());

const branch = 'evenkeel/issue/web-1';

describe('what counts as work', () => {
  test('commits on another branch count: HEAD tells', async () => {
    world = await makeTurnWorld({
      command: 'git checkout -q -b idea && echo new > new.txt && git add . && git commit -q -m new',
    });
    const { result } = await world.run();
    expect(result).toMatchObject({ status: 'completed', git: { pushed: true, commits: 1 } });
    expect(world.host.read(branch, 'new.txt')).toBe('new');
    expect(world.host.branch('idea')).toBeUndefined();
  });

  test('commits on no branch at all count', async () => {
    world = await makeTurnWorld({
      command: 'git checkout -q --detach && echo new > new.txt && git add . && git commit -q -m new',
    });
    expect((await world.run()).result).toMatchObject({
      status: 'completed',
      git: { pushed: true, commits: 1 },
    });
    expect(world.host.read(branch, 'new.txt')).toBe('new');
  });

  test('files that were never added are committed by the turn program, unless git ignores them', async () => {
    world = await makeTurnWorld({
      command: [
        'echo "*.tmp" > .gitignore',
        'echo mine >> .git/info/exclude',
        'mkdir deep && echo new > deep/new.txt',
        'touch scratch.tmp mine',
        'rm README.md',
      ].join(' && '),
    });
    const { result } = await world.run();
    expect(result).toMatchObject({ status: 'completed', git: { pushed: true, commits: 1, files: 3 } });
    expect(world.host.git('ls-tree', '-r', '--name-only', branch).split('\n')).toEqual([
      '.gitignore',
      'deep/new.txt',
    ]);
    expect(world.host.git('log', '-1', '--format=%an', branch)).toBe('evenkeel');
  });

  test.each([
    ['plain', 'WEB-7', 'WEB-7: '],
    ['full of control characters', 'a\nb\u0000\u001b[31m\u202ec', 'a b [31m c: '],
    ['of a comment’s sign', '#', '#: '],
    ['empty', '\n', ''],
    ['very long', 'x'.repeat(500), `${'x'.repeat(30)}: `],
  ])(
    'the commit of the turn program names the issue on one short line, also by a key that is %s',
    async (_, key, head) => {
      world = await makeTurnWorld({ command: 'echo new > new.txt', key });
      await world.run();
      const subject = world.host.git('log', '-1', '--format=%s', branch);
      expect(subject.trim()).toBe(`${head}keep work that the agent did not commit`);
    },
  );

  test('changes on top of commits become one more commit', async () => {
    world = await makeTurnWorld({
      command: 'echo one > one && git add . && git commit -q -m one && echo two > one && echo three > three',
    });
    expect((await world.run()).result).toMatchObject({ git: { pushed: true, commits: 2, files: 2 } });
    expect(world.host.read(branch, 'one')).toBe('two');
  });

  test('an agent that ends well and changes nothing completes with no commits and creates no branch', async () => {
    world = await makeTurnWorld({ command: 'cat > /dev/null' });
    expect((await world.run()).result).toMatchObject({
      status: 'completed',
      git: { pushed: false, commits: 0 },
    });
    expect(world.host.branch(branch)).toBeUndefined();
  });

  test('a turn goes on from where the issue’s branch stands', async () => {
    world = await makeTurnWorld({ command: 'cat first.txt > second.txt' });
    const before = world.host.push(branch, { 'first.txt': 'earlier' }, 'main');
    expect((await world.run()).result).toMatchObject({
      status: 'completed',
      git: { expectedSha: before, pushed: true, commits: 1, files: 1 },
    });
    expect(world.host.read(branch, 'second.txt')).toBe('earlier');
  });

  test('the work of an earlier turn that was kept aside is there to look at', async () => {
    world = await makeTurnWorld({ command: 'git show origin/evenkeel/wip/web-1:kept.txt > found.txt' });
    world.host.push('evenkeel/wip/web-1', { 'kept.txt': 'almost' }, 'main');
    expect((await world.run()).result).toMatchObject({ status: 'completed', git: { commits: 1 } });
    expect(world.host.read(branch, 'found.txt')).toBe('almost');
  });
});

describe('a workspace that is not what it was', () => {
  test('one that was removed under the agent is a failure, not a change that deletes every file', async () => {
    world = await makeTurnWorld({ command: `echo begun > "$EVENKEEL_RESULT_FILE.begun"; sleep 30` });
    const running = world.start({ hasty: { killGraceMs: 200 } });
    await until('the agent works', () => world.api.heard.heartbeat.some(({ step }) => step === 'agent'));
    rmSync(join(world.dir, 'ws'), { recursive: true, force: true });
    running.signal('SIGTERM');
    expect((await running.ended).result).toMatchObject({
      status: 'stopped',
      git: { commits: 0, pushed: false },
    });
    expect(world.host.branch(branch)).toBeUndefined();
  });

  test.each([
    ['removed', 'cd / && rm -rf "$OLDPWD"'],
    ['emptied, as whoever may not remove it does', 'rm -rf ./* ./.[!.]*'],
  ])('one that the agent %s is named', async (_, command) => {
    world = await makeTurnWorld({ command });
    expect((await world.run()).result).toMatchObject({
      status: 'failed',
      failure: { class: 'agent', kind: 'workspace-lost', retryable: true },
    });
    expect(world.host.branch(branch)).toBeUndefined();
  });

  test('a link in its place is not followed', async () => {
    world = await makeTurnWorld({
      command: 'here=$PWD && cd / && mv "$here" "$here.moved" && ln -s "$here.moved" "$here"',
    });
    expect((await world.run()).result).toMatchObject({ failure: { kind: 'workspace-lost' } });
  });

  test('the whole folder removed under a running turn still ends with a result', async () => {
    world = await makeTurnWorld({ command: 'sleep 0.3; cat > /dev/null' });
    const running = world.start();
    await until('the agent works', () => world.api.heard.heartbeat.some(({ step }) => step === 'agent'));
    rmSync(world.dir, { recursive: true, force: true });
    const { result, outcome } = await running.ended;
    expect(result).toMatchObject({ status: 'failed', failure: { class: 'agent', kind: 'workspace-lost' } });
    expect(outcome).toBeUndefined();
  });

  test('without a repository in it, its files are still the work', async () => {
    world = await makeTurnWorld({ command: 'rm -rf .git && echo new > new.txt' });
    expect((await world.run()).result).toMatchObject({
      status: 'completed',
      git: { pushed: true, commits: 1 },
    });
    expect(world.host.read(branch, 'new.txt')).toBe('new');
  });

  test('a repository cloned into it is left out, and the files beside it are kept', async () => {
    world = await makeTurnWorld({ command: 'git clone -q . other && echo new > new.txt' });
    expect((await world.run()).result).toMatchObject({
      status: 'completed',
      git: { pushed: true, files: 1 },
    });
    expect(world.host.git('ls-tree', '-r', '--name-only', branch).split('\n')).toEqual([
      'README.md',
      'new.txt',
    ]);
  });
});
