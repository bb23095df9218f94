import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TickOutcome } from '../../lib/controller/operations.ts';
import type { IssueId } from '../../lib/core/issue.ts';
import { branchName } from '../../lib/core/names.ts';
import { eventually } from '../support/eventually.ts';
import { runCli } from '../support/run-cli.ts';
import type { CardFolder } from './support/card-folder.ts';
import { makeScene, type Scene } from './support/scene.ts';

let scene: Scene;
beforeEach(() => {
  scene = makeScene();
});
afterEach(() => scene.end());

const inState = (board: CardFolder, key: string, state: string) =>
  eventually(
    () => board.stateOf(key),
    (now) => now === state,
    40_000,
  );
const runs = (key: string, count: number) =>
  eventually(
    () => scene.runsOf(key),
    (now) => now === count,
    40_000,
  );
const count = (fact: string) => scene.facts().filter((one) => one.fact === fact).length;

describe('the example', () => {
  test('needs nothing but git: from file to pushed branch and hand-off', async () => {
    const { code, stderr } = await runCli(
      ['start', '--until-idle', '--interval', '1', '--log-format', 'text'],
      {
        cwd: scene.dir,
      },
    );
    expect(code).toBe(0);
    const data = join(scene.dir, '.evenkeel');
    expect(stderr).toMatch(/not isolated/);
    expect(stderr).toMatch(/DEMO-1 +start +attempt 1 starts from "Todo"/);
    const branch = /DEMO-1 +handed off .*: branch (\S+), card in "In Review"/.exec(stderr)?.[1];
    expect(branch).toBeDefined();
    const repository = join(data, 'example', 'repository.git');
    expect(
      execFileSync('git', ['-C', repository, 'log', '--format=%s', `main..${branch}`]).length,
    ).toBeGreaterThan(0);
    expect(readFileSync(join(data, 'example', 'board', 'DEMO-1.md'), 'utf8')).toMatch(/^state: In Review$/m);
    const comments = readdirSync(join(data, 'example', 'board')).filter(
      (name) => name === 'DEMO-1.status.md',
    );
    expect(comments).toHaveLength(1);
  });
});

describe('a host that is killed', () => {
  test('finds its turns running at the next start and goes on with them, without a new one', async () => {
    const board = scene.board('board');
    scene.agent('A', 'work "$1"; wait_for restarted');
    board.add('A');
    const host = await scene.start();
    await runs('A', 1);
    await host.kill();
    await scene.start();
    await scene.ticks(2);
    expect((await scene.status()).running).toMatchObject([{ key: 'A', attempt: 1, phase: 'running' }]);
    scene.open('restarted');
    await inState(board, 'A', 'In Review');
    expect(scene.runsOf('A')).toBe(1);
    expect(count('claimed')).toBe(1);
  });

  test('settles at the next start what ended meanwhile', async () => {
    const board = scene.board('board');
    scene.agent('A', 'work "$1"; say working; wait_for killed; say done');
    board.add('A');
    const host = await scene.start();
    await scene.heard('working');
    await host.kill();
    scene.open('killed');
    await scene.heard('done');
    await scene.start();
    await inState(board, 'A', 'In Review');
    expect(scene.repository.read(branchName('A' as IssueId), 'A.txt')).toBe('work of A');
    expect(scene.runsOf('A')).toBe(1);
  });
});

describe('a host that is asked to end', () => {
  test("ends its turns, keeps their work, settles them as nobody's fault, and goes on at the next start", async () => {
    const board = scene.board('board');
    scene.agent('A', 'work "$1"; say working; wait_for restarted');
    board.add('A');
    const host = await scene.start();
    await scene.heard('working');
    // A terminal and npm both pass on the one key press.
    host.signal('SIGINT');
    host.signal('SIGINT');
    setTimeout(() => host.signal('SIGINT'), 100);
    expect((await host.ended).code).toBe(0);
    expect(scene.processes()).toEqual([]);
    expect(existsSync(join(scene.dataDir, 'host.json'))).toBe(false);
    const { stdout } = await scene.cli('history', 'A', '--json');
    expect(JSON.parse(stdout)).toMatchObject([{ class: 'infrastructure', outcome: 'recheck' }]);
    scene.open('restarted');
    await scene.start();
    await inState(board, 'A', 'In Review');
    expect(scene.runsOf('A')).toBe(2);
  });
});

describe('the data folder', () => {
  test('belongs to one host: a second one is refused, says by whom, and disturbs nothing', async () => {
    scene.board('board');
    const first = await scene.start();
    const second = await scene.launch().ended;
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(`in use by another running process (pid ${first.pid})`);
    await scene.ticks(1);
    expect((await scene.status()).lastTick).not.toBeNull();
  });

  test('whose ledger is deleted under a running host ends the host; its turns wait and are adopted', async () => {
    const board = scene.board('board');
    scene.agent('A', 'work "$1"; wait_for adopted');
    board.add('A');
    const host = await scene.start();
    await runs('A', 1);
    rmSync(join(scene.dataDir, 'state'), { recursive: true });
    const { code, stderr } = await host.ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/removed or replaced while it was in use/);
    await scene.start();
    await scene.fact('adopted', 'A');
    scene.open('adopted');
    await inState(board, 'A', 'In Review');
    expect(scene.runsOf('A')).toBe(1);
    expect(scene.repository.read(branchName('A' as IssueId), 'A.txt')).toBe('work of A');
  });

  test('whose ledger is deleted between two hosts loses no turn and doubles none', async () => {
    const board = scene.board('board');
    scene.agent('A', 'work "$1"; wait_for adopted');
    board.add('A');
    const host = await scene.start();
    await runs('A', 1);
    await host.kill();
    rmSync(join(scene.dataDir, 'state'), { recursive: true });
    await scene.start();
    await scene.fact('adopted', 'A');
    await scene.ticks(2);
    expect((await scene.status()).running).toMatchObject([{ key: 'A', phase: 'running' }]);
    scene.open('adopted');
    await inState(board, 'A', 'In Review');
    expect(scene.runsOf('A')).toBe(1);
  });

  test('that takes no more writes ends the host with a clear word, and nothing in it is broken', async () => {
    const board = scene.board('board');
    scene.agent('default', 'work "$1"');
    for (let at = 0; at < 6; at += 1) board.add(`A-${at}`);
    const host = scene.launch({ shell: 'ulimit -f 48' });
    const { code, stderr } = await host.ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/cannot be (kept|opened|written|locked)/);
    expect(stderr).not.toMatch(/\n\s+at /);
    await scene.start();
    for (let at = 0; at < 6; at += 1) await inState(board, `A-${at}`, 'In Review');
    expect((await scene.cli('history', '--json')).code).toBe(0);
  });
});

describe('--until-idle', () => {
  test('waits for a retry that is due by time, and fails when an issue is parked then', async () => {
    const board = scene.board('board', { agent: { max_failures: 2, max_retry_backoff_ms: 1_500 } });
    scene.agent('CRASH', 'exit 7');
    board.add('CRASH');
    const { code } = await scene.launch({ args: ['--until-idle'] }).ended;
    expect(code).toBe(1);
    expect(scene.runsOf('CRASH')).toBe(2);
    expect(board.stateOf('CRASH')).toBe('In Review');
  });
});

describe('a plan', () => {
  test('writes nothing, and is what the tick then does', async () => {
    const board = scene.board('board', { agent: { max_concurrent_agents: 1 } });
    board.add('A');
    board.add('B');
    const args = ['plan', '--json', '--workflow', board.workflow];
    const planned = await scene.cli(...args);
    expect(planned.code).toBe(0);
    expect(existsSync(scene.dataDir)).toBe(false);
    const short = (text: string) =>
      (JSON.parse(text) as Extract<TickOutcome, { kind: 'done' }>).boards[0]?.decisions.map(
        ({ key, action, reason }) => [key, action, reason],
      );
    expect(short(planned.stdout)).toEqual([
      ['A', 'start', 'start'],
      ['B', 'wait', 'cap-board'],
    ]);
    scene.agent('default', 'wait_for never');
    await scene.start({ intervalSeconds: 600, args: ['--max-concurrent-agents', '0'] });
    await scene.ticks(1);
    board.add('C', { state: 'Backlog' });
    const before = short((await scene.cli('plan', '--json')).stdout);
    expect(short((await scene.cli('tick', '--json')).stdout)).toEqual(before);
    expect(before).toEqual([
      ['A', 'wait', 'cap-deployment'],
      ['B', 'wait', 'cap-deployment'],
    ]);
  });
});
