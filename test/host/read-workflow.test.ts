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
