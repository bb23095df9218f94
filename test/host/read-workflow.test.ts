import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findWorkflows } from '../../lib/host/find-workflows.ts';
import { isBroken, readWorkflow } from '../../lib/host/read-workflow.ts';
import { resolveRepository } from '../../lib/host/repository-address.ts';
import { readWorkflows } from '../../lib/host/served-boards.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'workflows-')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(
  name: string,
  { kind = 'local', project = 'board', repository = './repo', agent = 'command' } = {},
) {
  const file = join(root, name);
  const tracker = `tracker: { kind: ${kind}, project: ${project} }`;
  writeFileSync(
    file,
    `---\n${tracker}\nrepository: ${repository}\nagent: { kind: ${agent}, command: run }\n---\nWork.\n`,
  );
  return file;
}

async function problemsOf(file: string): Promise<readonly string[]> {
  const read = await readWorkflow(file);
  return isBroken(read) ? read.problems.map(({ rule }) => rule) : [];
}

test('everything that this machine cannot serve is told at once', async () => {
  expect(await problemsOf(write('W.md', { agent: 'codex' }))).toEqual([
    'agent-supported',
    'project-exists',
    'repository-exists',
  ]);
  expect(await problemsOf(write('W.md', { kind: 'linear', project: 'ENG' }))).toContain('kind-supported');
  expect(await problemsOf(join(root, 'missing.md'))).toEqual(['file']);
});

test('a folder that two files serve is refused, also by way of a link', async () => {
  mkdirSync(join(root, 'board'));
  mkdirSync(join(root, 'repo'));
  symlinkSync(join(root, 'board'), join(root, 'link'));
  const [first, second] = [write('A.md'), write('B.md', { project: 'link' })];
  await expect(readWorkflows([first, second])).rejects.toThrow(`is served by ${first} already`);
  expect(await readWorkflows([first])).toMatchObject([
    { place: join(root, 'board'), repository: join(root, 'repo') },
  ]);
});

test('a repository is an address, a path from the file, or a name on GitHub', async () => {
  mkdirSync(join(root, 'acme', 'web'), { recursive: true });
  const address = async (name: string) => resolveRepository(name, root);
  expect(await address('https://example.com/a/b.git')).toEqual({ address: 'https://example.com/a/b.git' });
  expect(await address('git@example.com:a/b.git')).toEqual({ address: 'git@example.com:a/b.git' });
  expect(await address('acme/web')).toEqual({ address: join(root, 'acme', 'web') });
  expect(await address('acme/api')).toEqual({ address: 'https://github.com/acme/api.git' });
  expect(await address('acme/api.git')).toEqual({ address: 'https://github.com/acme/api.git' });
  expect(await address(join(root, 'acme'))).toEqual({ address: join(root, 'acme') });
  expect(await address('./acme/api')).toMatchObject({
    problem: expect.stringContaining(join(root, 'acme', 'api')),
  });
  expect(await address('missing')).toMatchObject({
    problem: expect.stringContaining('there is no repository'),
  });
});

test('the file that is meant is the given one, else the one here, else the example', async () => {
  const cwd = join(root, 'here');
  const dataDir = join(root, 'data');
  mkdirSync(cwd);
  mkdirSync(join(dataDir, 'example'), { recursive: true });
  const where = { given: [], cwd, dataDir };
  expect(await findWorkflows(where)).toEqual({ files: [], example: true });
  const example = join(dataDir, 'example', 'WORKFLOW.md');
  writeFileSync(example, '');
  expect(await findWorkflows(where)).toEqual({ files: [example], example: true });
  writeFileSync(
    join(dataDir, 'deployment.json'),
    JSON.stringify({
      deployment: 'd',
      ticketSecret: 't'.repeat(32),
      webhookSecret: 'w'.repeat(32),
      workflows: ['/x'],
    }),
  );
  expect(await findWorkflows({ ...where, orServedLast: true })).toEqual({ files: ['/x'], example: false });
  writeFileSync(join(cwd, 'WORKFLOW.md'), '');
  expect(await findWorkflows({ ...where, orServedLast: true })).toEqual({
    files: [join(cwd, 'WORKFLOW.md')],
    example: false,
  });
  expect(await findWorkflows({ ...where, given: ['a.md'] })).toEqual({
    files: [join(cwd, 'a.md')],
    example: false,
  });
});

/** The paths that work may not touch, by the file at this path. */
async function deniedBy(file: string): Promise<readonly string[]> {
  const read = await readWorkflow(file);
  return isBroken(read) ? [JSON.stringify(read.problems)] : read.workflow.deny_paths;
}

const git = (...args: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], { stdio: 'pipe' });

test('work may not change a workflow file that lies in a checkout of its repository, however that is made', async () => {
  const usual = ['.github/workflows/**'];
  for (const folder of ['board', 'repo/ops', 'elsewhere/ops'])
    mkdirSync(join(root, folder), { recursive: true });
  git('init', '--quiet', join(root, 'repo'));
  git('-C', join(root, 'repo'), 'commit', '--quiet', '--allow-empty', '--message', 'first');
  git('clone', '--quiet', join(root, 'repo'), join(root, 'clone'));
  git('-C', join(root, 'repo'), 'worktree', 'add', '--quiet', '--detach', join(root, 'tree'));
  const at = { project: join(root, 'board'), repository: join(root, 'repo') };

  expect(await deniedBy(write('W.md', at))).toEqual(usual);
  expect(await deniedBy(write('elsewhere/ops/W.md', at))).toEqual(usual);
  expect(await deniedBy(write('repo/ops/W (1).md', at))).toEqual([...usual, 'ops/W \\(1\\).md']);
  expect(await deniedBy(write('tree/W.md', at))).toEqual([...usual, 'W.md']);
  expect(await deniedBy(write('clone/W.md', at))).toEqual([...usual, 'W.md']);
  symlinkSync(join(root, 'repo/ops/W (1).md'), join(root, 'link.md'));
  expect(await deniedBy(join(root, 'link.md'))).toEqual([...usual, 'ops/W \\(1\\).md']);

  git('-C', join(root, 'clone'), 'remote', 'set-url', 'origin', 'git@example.org:Acme/web.git');
  const remote = { ...at, repository: 'https://example.org/acme/web' };
  expect(await deniedBy(write('clone/W.md', remote))).toEqual([...usual, 'W.md']);
  expect(
    await deniedBy(write('clone/W.md', { ...remote, repository: 'https://example.org/acme/app' })),
  ).toEqual(usual);
});
