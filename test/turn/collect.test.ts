import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { makeTurnWorld, type TurnWorld } from '../support/turn-world.ts';

let world: TurnWorld;
afterEach(() => world.end());

const branch = 'evenkeel/issue/web-1';
const wip = 'evenkeel/wip/web-1';

describe('a file too large to be read in time', () => {
  test.each([
    ['a new one', 'huge.bin'],
    ['one in the place of a committed one', 'README.md'],
  ])('is named, and the rest is kept: %s', async (_, name) => {
    world = await makeTurnWorld({ command: `truncate -s 200G ${name} && echo new > new.txt` });
    const { result } = await world.run();
    expect(result).toMatchObject({
      status: 'failed',
      failure: { class: 'delivery', kind: 'large-file', retryable: false },
      git: { pushed: false, commits: 1, files: 1, wipBranch: wip },
    });
    expect(result?.failure?.detail).toContain(`"${name}" is larger than 50 MB and stays in the workspace`);
    expect(result?.inWorkspaceOnly).toBe(true);
    expect(world.host.read(wip, 'new.txt')).toBe('new');
  });

  test('is known to be in the workspace only, also when the agent failed of something else', async () => {
    world = await makeTurnWorld({ command: 'truncate -s 200G huge.bin; exit 1' });
    expect((await world.run()).result).toMatchObject({ failure: { kind: 'crash' }, inWorkspaceOnly: true });
  });

  test('is named alone when there is nothing else', async () => {
    world = await makeTurnWorld({ command: 'truncate -s 200G huge.bin' });
    expect((await world.run()).result).toMatchObject({ status: 'failed', failure: { kind: 'large-file' } });
  });

  test('does not matter when git ignores it', async () => {
    world = await makeTurnWorld({ command: 'truncate -s 200G huge.bin && echo "*.bin" > .gitignore' });
    const { result } = await world.run();
    expect(result).toMatchObject({
      status: 'completed',
      git: { pushed: true, files: 1 },
    });
    expect(result).not.toHaveProperty('inWorkspaceOnly');
  });
});

describe('work that cannot be collected', () => {
  const full = 'echo "fatal: write error: No space left on device" >&2; exit 128';
  const other = 'echo "fatal: something else" >&2; exit 128';
  const unwritten = `echo "fatal: update_ref failed for ref 'x': couldn't write 'x.lock'" >&2; exit 128`;

  test.each([
    ['add', '*--pathspec-from-file*', full, 'infrastructure', 'disk'],
    [
      'add',
      '*--pathspec-from-file*',
      'echo "error: x: Disk quota exceeded" >&2; exit 1',
      'infrastructure',
      'disk',
    ],
    ['commit-tree', '*" commit-tree "*', full, 'infrastructure', 'disk'],
    ['write-tree', '*" write-tree"', other, 'infrastructure', 'git-unusable'],
  ])(
    'by git %s (%s) is a failure, and the commits are kept',
    async (_, pattern, does, failureClass, kind) => {
      world = await makeTurnWorld({
        command: 'echo one > one && git add one && git commit -q -m one && echo two > two',
      });
      const { result } = await world.run({ env: withGit(pattern, does) });
      expect(result).toMatchObject({
        status: 'failed',
        failure: { class: failureClass, kind, retryable: true },
        git: { pushed: false, commits: 1, wipBranch: wip },
      });
      expect(result?.failure?.detail).toContain(join(world.dir, 'ws'));
    },
  );

  test.each([
    ['bundle of the agent’s', '*"bundle create --quiet - HEAD"*'],
    ['fetch out of it', '*fsckObjects*'],
    ['count', '*"rev-list --count"*'],
    ['look for secrets', '*"cat-file --batch --buffer"*'],
  ])('because the disk is full is not the agent’s fault: %s', async (_, pattern) => {
    world = await makeTurnWorld({ command: 'echo one > one && git add one && git commit -q -m one' });
    const { result } = await world.run({ env: withGit(pattern, full) });
    expect(result).toMatchObject({
      status: 'failed',
      failure: { class: 'infrastructure', kind: 'disk', retryable: true },
    });
  });

  test.each([
    ['named', '*"update-ref refs/evenkeel/work"*', unwritten],
    ['compared', '*" diff-tree "*', other],
  ])('because it cannot be %s is kept all the same', async (_, pattern, does) => {
    world = await makeTurnWorld({ command: 'echo one > one' });
    const { result } = await world.run({ env: withGit(pattern, does) });
    expect(result).toMatchObject({
      status: 'failed',
      failure: { class: 'infrastructure', kind: 'git-unusable', retryable: true },
      git: { pushed: false, commits: 1, wipBranch: wip },
    });
    expect(world.host.read(wip, 'one')).toBe('one');
  });

  test.each([
    ['before the agent works', '*for-each-ref*'],
    ['while its commits are taken over', '*fsckObjects*'],
    ['while they are counted', '*"rev-list --count"*'],
    ['while they are judged', '*merge-base*'],
  ])('because the turn’s own git fails is not the agent’s fault: %s', async (_, pattern) => {
    world = await makeTurnWorld({ command: 'echo one > one && git add one && git commit -q -m one' });
    const { result } = await world.run({ env: withGit(pattern, other) });
    expect(result).toMatchObject({
      status: 'failed',
      failure: { class: 'infrastructure', kind: 'git-unusable', retryable: true },
    });
  });

  test('because a file is not what its attributes say is the agent’s', async () => {
    world = await makeTurnWorld({
      command: 'echo "*.txt working-tree-encoding=UTF-16" > .gitattributes; printf "abc" > a.txt',
    });
    expect((await world.run()).result).toMatchObject({
      status: 'failed',
      failure: { class: 'agent', kind: 'uncollected' },
    });
  });

  test('because the disk is full also explains an agent that crashed', async () => {
    world = await makeTurnWorld({ command: 'echo two > two; exit 1' });
    expect((await world.run({ env: withGit('*--pathspec-from-file*', full) })).result).toMatchObject({
      failure: { class: 'infrastructure', kind: 'disk' },
    });
  });

  test('because a file cannot be read is told, and the rest is delivered', async () => {
    world = await makeTurnWorld({ command: 'echo one > one' });
    const { result } = await world.run({ env: withGit('*--pathspec-from-file*', '"$git" "$@"; exit 1') });
    expect(result).toMatchObject({
      status: 'completed',
      git: { pushed: true },
      notes: ['The work leaves out files that could not be read.'],
      inWorkspaceOnly: true,
    });
  });

  /** A git that does something else where its arguments fit a pattern of the shell. */
  function withGit(pattern: string, does: string): Readonly<Record<string, string>> {
    const bin = join(world.traces, 'bin');
    mkdirSync(bin);
    const path = process.env.PATH ?? '';
    const script = [
      '#!/bin/sh',
      `git=$(PATH='${path}' command -v git)`,
      `case "$*" in ${pattern}) ${does};; *) exec "$git" "$@";; esac`,
    ];
    writeFileSync(join(bin, 'git'), `${script.join('\n')}\n`);
    chmodSync(join(bin, 'git'), 0o755);
    return { PATH: `${bin}:${path}` };
  }
});

describe('line ends', () => {
  async function makeWorldWithLineEnds(command: string): Promise<void> {
    world = await makeTurnWorld({ command });
    const copy = join(world.traces, 'copy');
    const git = (...args: readonly string[]) =>
      void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
        cwd: copy,
      });
    execFileSync('git', ['clone', '-q', world.host.address, copy]);
    writeFileSync(join(copy, 'dos.txt'), 'one\r\ntwo\r\n');
    git('add', 'dos.txt');
    writeFileSync(join(copy, '.gitattributes'), '* text eol=lf\n');
    git('add', '.gitattributes');
    git('commit', '-q', '-m', 'line ends');
    git('push', '-q', 'origin', 'HEAD:main');
    expect(world.host.read('main', 'dos.txt')).toContain('one\r\n');
  }

  test('that the attributes would have otherwise are no change of an agent that changed nothing', async () => {
    await makeWorldWithLineEnds('touch dos.txt');
    expect((await world.run()).result).toMatchObject({
      status: 'completed',
      git: { commits: 0, files: 0, pushed: false },
    });
  });

  test('are no change beside one either', async () => {
    await makeWorldWithLineEnds('echo new > new.txt; chmod +x dos.txt');
    expect((await world.run()).result).toMatchObject({ git: { commits: 1, files: 2, pushed: true } });
    expect(world.host.read(branch, 'dos.txt')).toContain('one\r\n');
    expect(world.host.git('ls-tree', branch, 'dos.txt')).toMatch(/^100755/);
  });

  test('that the agent changes on purpose are', async () => {
    await makeWorldWithLineEnds("printf 'one\\ntwo\\n' > dos.txt");
    expect((await world.run()).result).toMatchObject({ git: { commits: 1, files: 1, pushed: true } });
    expect(world.host.read(branch, 'dos.txt')).toBe('one\ntwo');
  });

  test('that the user’s own git writes are no change', async () => {
    world = await makeTurnWorld({
      command: 'rm README.md && git checkout -q README.md && cat README.md >&2',
    });
    const home = join(world.traces, 'home');
    mkdirSync(home);
    writeFileSync(join(home, '.gitconfig'), '[core]\n\tautocrlf = true\n');
    expect((await world.run({ env: { HOME: home } })).result).toMatchObject({
      git: { commits: 0, files: 0 },
    });
  });
});

describe('a repository within the workspace', () => {
  const own = 'git -C app -c user.name=a -c user.email=a@example.com';

  test.each([
    ['without commits', 'git init -q app && echo x > app/main.txt'],
    ['with commits', `git init -q app && echo x > app/main.txt && ${own} add . && ${own} commit -q -m first`],
  ])('that the agent made there is its work like any other folder: %s', async (_, command) => {
    world = await makeTurnWorld({
      command: [
        command,
        'echo "*.tmp" > .gitignore && touch app/a.tmp app/b.log zz.txt && echo "*.log" > app/.gitignore',
        'git init -q app/deep && echo y > app/deep/f',
      ].join(' && '),
    });
    const { result } = await world.run();
    expect(result).toMatchObject({ status: 'completed', git: { pushed: true, commits: 1 } });
    expect(result?.notes).toBeUndefined();
    expect(world.host.git('ls-tree', '-r', '--name-only', branch).split('\n')).toEqual([
      '.gitignore',
      'README.md',
      'app/.gitignore',
      'app/deep/f',
      'app/main.txt',
      'zz.txt',
    ]);
  });

  test('is screened like any other folder', async () => {
    world = await makeTurnWorld({
      command: 'git init -q .github && mkdir .github/workflows && echo x > .github/workflows/ci.yml',
    });
    expect((await world.run()).result).toMatchObject({ failure: { kind: 'forbidden-path' } });
  });

  test.each([
    ['cloned', 'git clone -q . other'],
    ['a worktree of the same', 'git worktree add -q other'],
  ])('that comes from elsewhere is left out, which is told: %s', async (_, command) => {
    world = await makeTurnWorld({ command });
    expect((await world.run()).result).toMatchObject({
      status: 'completed',
      git: { pushed: false, commits: 0 },
      notes: ['The work leaves out one folder that is a repository from elsewhere.'],
    });
  });
});
