import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { localBoard } from '../../lib/adapters/local-board/local-board.ts';
import { resolveContract } from '../../lib/core/contract.ts';
import type { StateName } from '../../lib/core/issue.ts';
import { layOutExample } from '../../lib/host/lay-out-example.ts';
import { isBroken, readWorkflow } from '../../lib/host/read-workflow.ts';

let dataDir: string;
let example: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'example-'));
  example = join(dataDir, 'example');
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

function git(...args: readonly string[]): string {
  return String(execFileSync('git', ['-C', join(example, 'repository.git'), ...args])).trim();
}

test('the example is a workflow that holds against its own board and repository', async () => {
  const { workflowFile, created } = await layOutExample(dataDir);
  expect(created).toBe(true);
  const read = await readWorkflow(workflowFile);
  if (isBroken(read)) throw new Error(JSON.stringify(read.problems));
  const board = localBoard({ folder: read.place, terminalStates: read.workflow.tracker.terminal_states });
  expect(resolveContract(read.workflow, await board.states(), undefined).valid).toBe(true);
  const { issues, broken } = await board.list(['Todo', 'Backlog'] as readonly string[] as StateName[]);
  expect(broken).toEqual([]);
  expect(issues.map(({ key, state }) => `${key} ${state}`).sort()).toEqual([
    'DEMO-1 Todo',
    'DEMO-2 Todo',
    'DEMO-3 Todo',
    'DEMO-4 Backlog',
  ]);
  expect(issues.find(({ key }) => (key as string) === 'DEMO-3')?.blockers).toMatchObject([
    { key: 'DEMO-1', open: true },
  ]);
});

test('the repository is the same commit whatever the user has set up', async () => {
  await layOutExample(dataDir);
  const first = git('rev-parse', 'main');
  rmSync(example, { recursive: true });
  const settings = join(dataDir, 'gitconfig');
  writeFileSync(
    settings,
    '[init]\n\tdefaultBranch = trunk\n[commit]\n\tgpgsign = true\n[core]\n\tautocrlf = true\n',
  );
  const before = { ...process.env };
  Object.assign(process.env, {
    GIT_CONFIG_GLOBAL: settings,
    GIT_AUTHOR_NAME: 'Somebody',
    GIT_DIR: '/nowhere',
  });
  try {
    await layOutExample(dataDir);
  } finally {
    process.env = before;
  }
  expect(git('rev-parse', 'main')).toBe(first);
  expect(git('symbolic-ref', 'HEAD')).toBe('refs/heads/main');
  expect(git('log', '--format=%an <%ae>', 'main')).toBe('evenkeel example <example@evenkeel.invalid>');
  expect(git('show', 'main:greetings/en.txt')).toBe('Hello');
});

test('what a user changed is kept', async () => {
  const { workflowFile } = await layOutExample(dataDir);
  writeFileSync(workflowFile, 'mine');
  rmSync(join(example, 'board', 'DEMO-2.md'));
  writeFileSync(join(example, 'board', 'DEMO-1.md'), 'mine too');
  expect(await layOutExample(dataDir)).toEqual({ workflowFile, created: false });
  expect(readFileSync(workflowFile, 'utf8')).toBe('mine');
  expect(readFileSync(join(example, 'board', 'DEMO-1.md'), 'utf8')).toBe('mine too');
  expect(existsSync(join(example, 'board', 'DEMO-2.md'))).toBe(false);
});

test('what a killed start left half done is completed', async () => {
  const { pid } = spawnSync('true');
  mkdirSync(join(example, `.new-${pid}-abc`, 'part'), { recursive: true });
  const { created } = await layOutExample(dataDir);
  expect(created).toBe(true);
  rmSync(join(example, 'WORKFLOW.md'));
  rmSync(join(example, 'board'), { recursive: true });
  await layOutExample(dataDir);
  expect(readdirSync(example).sort()).toEqual(['WORKFLOW.md', 'board', 'repository.git']);
});

test('what another start is just making is left to it', async () => {
  const draft = join(example, `.new-${process.pid}-abc`);
  mkdirSync(draft, { recursive: true });
  await layOutExample(dataDir);
  expect(existsSync(draft)).toBe(true);
  expect(readdirSync(join(example, 'board'))).toContain('DEMO-1.md');
});
