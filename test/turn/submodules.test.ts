import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeTurnWorld, type TurnWorld } from '../support/turn-world.ts';

let world: TurnWorld;
/** The commit that the base names for `lib/mod`. */
let named: string;

beforeEach(async () => {
  world = await makeTurnWorld({});
  git(world.traces, 'init', '-q', '--bare', '-b', 'main', 'mod.git');
  git(world.traces, 'clone', '-q', 'mod.git', 'mod');
  const mod = join(world.traces, 'mod');
  appendFileSync(join(mod, 'file.txt'), 'one\n');
  appendFileSync(join(mod, '.gitignore'), '*.o\n');
  named = commitAndPush(mod);
  git(world.traces, 'clone', '-q', world.host.address, 'copy');
  const copy = join(world.traces, 'copy');
  git(copy, 'submodule', '--quiet', 'add', join(world.traces, 'mod.git'), 'lib/mod');
  commitAndPush(copy);
});
afterEach(() => world.end());

const branch = 'evenkeel/issue/web-1';
const file = 'protocol.file.allow=always';
const init = `git -c ${file} submodule --quiet update --init`;
const identity = '-c user.name=a -c user.email=a@example.com';
const commitInside = `git -C lib/mod ${identity} commit -q -a -m inside`;

function git(cwd: string, ...args: readonly string[]): string {
  const settings = ['-c', file, '-c', 'user.name=a', '-c', 'user.email=a@example.com'];
  return execFileSync('git', [...settings, ...args], { cwd, encoding: 'utf8', stdio: 'pipe' }).trim();
}

function commitAndPush(folder: string): string {
  git(folder, 'add', '--all');
  git(folder, 'commit', '-q', '-m', 'more');
  git(folder, 'push', '-q', 'origin', 'HEAD:main');
  return git(folder, 'rev-parse', 'HEAD');
}

function runAgent(...lines: readonly string[]) {
  world.instructions.agent.command = ['set -e', ...lines].join('\n');
  return world.run();
}

const left = 'The work leaves out what the folders of submodules hold beside their commits: "lib/mod".';

describe('work in the folder of a submodule is told of as not delivered', () => {
  test.each([
    [
      'committed there, without a commit of the repository that names it',
      `echo two > lib/mod/file.txt; ${commitInside}`,
    ],
    ['not committed there', 'echo two > lib/mod/file.txt'],
    ['a new file', 'echo x > lib/mod/x'],
    [
      'in a repository whose index is a pipe',
      'rm .git/modules/lib/mod/index; mkfifo .git/modules/lib/mod/index',
    ],
    ['in a repository that cannot be read', 'rm -r .git/modules/lib/mod/objects'],
    [
      'in a submodule of the submodule',
      `git -C lib/mod -c ${file} submodule --quiet add ../mod.git deep; ${commitInside}; git add lib/mod; git commit -q -m bump; echo x > lib/mod/deep/x`,
    ],
  ])('%s', async (_, command) => {
    const { result } = await runAgent(init, command, 'echo new > new.txt');
    expect(result).toMatchObject({ status: 'completed', git: { pushed: true } });
    expect(result?.notes).toContain(left);
    expect(world.host.read(branch, 'new.txt')).toBe('new');
  });

  test.each([
    ['a file in a folder that was never filled', 'echo x > lib/mod/README'],
    ['a file in its place', 'rmdir lib/mod; echo x > lib/mod'],
    ['a repository of the agent’s own in its place', 'git init -q lib/mod; echo x > lib/mod/x'],
    ['a file in the place of the folder above', 'rm -r lib; echo x > lib'],
    ['nothing in its place', 'rm -r lib'],
  ])('and the submodule is kept: %s', async (_, command) => {
    const { result } = await runAgent(command, 'echo new > new.txt');
    expect(result).toMatchObject({ status: 'completed', git: { pushed: true, files: 1 }, notes: [left] });
    expect(world.host.git('ls-tree', branch, 'lib/mod')).toContain(`160000 commit ${named}`);
  });
});

test.each([
  ['that is not filled', 'true'],
  ['that is filled', init],
  ['in which something was built', `${init}; touch lib/mod/a.o lib/mod/file.txt`],
])('a submodule %s needs no word', async (_, command) => {
  const { result } = await runAgent(command, 'echo new > new.txt');
  expect(result).toMatchObject({ status: 'completed', git: { pushed: true, files: 1 } });
  expect(result?.notes).toBeUndefined();
});

describe('a commit that names another commit of another repository', () => {
  const changed = (path: string) =>
    `The work names commits of other repositories, which are not delivered with it: "${path}".`;

  test('is told of', async () => {
    const { result } = await runAgent(
      init,
      `echo two > lib/mod/file.txt; ${commitInside}`,
      'git add lib/mod; git commit -q -m bump',
    );
    expect(result).toMatchObject({ git: { pushed: true, files: 1 }, notes: [changed('lib/mod')] });
    expect(world.host.git('ls-tree', branch, 'lib/mod')).not.toContain(named);
  });

  test('is told of where there was no submodule', async () => {
    const { result } = await runAgent(
      'git clone -q . other; git add other 2> /dev/null; git commit -q -m other',
    );
    expect(result).toMatchObject({ git: { pushed: true, files: 1 }, notes: [changed('other')] });
  });

  test('is told of beside what the folder holds besides', async () => {
    const { result } = await runAgent(
      init,
      `echo two > lib/mod/file.txt; ${commitInside}`,
      'git add lib/mod; git commit -q -m bump; echo three > lib/mod/file.txt',
    );
    expect(result?.notes).toEqual([left, changed('lib/mod')]);
  });

  test('is told of when files take the place of the submodule', async () => {
    const { result } = await runAgent(
      'git rm -q --cached lib/mod; echo x > lib/mod/x; git add lib/mod/x; git commit -q -m files',
    );
    expect(result).toMatchObject({
      git: { pushed: true },
      notes: ['The work puts files in the place of submodules: "lib/mod".'],
    });
  });

  test('needs no word when the base named it meanwhile', async () => {
    const { result } = await runAgent(
      `(cd ${join(world.traces, 'mod')}; echo two > file.txt; git ${identity} commit -q -a -m two; git push -q origin HEAD:main)`,
      `(cd ${join(world.traces, 'copy')}; git -c ${file} -C lib/mod pull -q origin main; git ${identity} commit -q -a -m bump; git push -q origin HEAD:main)`,
      'git commit -q --allow-empty -m own; git pull -q --no-rebase --no-edit origin main; echo new > new.txt',
    );
    expect(result).toMatchObject({ status: 'completed', git: { pushed: true } });
    expect(result?.notes).toBeUndefined();
    expect(world.host.git('ls-tree', branch, 'lib/mod')).not.toContain(named);
  });
});
