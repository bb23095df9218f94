import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HistoryEntry } from '../../lib/controller/operations.ts';
import type { IssueId } from '../../lib/core/issue.ts';
import { branchName, wipBranchName } from '../../lib/core/names.ts';
import { eventually } from '../support/eventually.ts';
import { makeScene, type Scene, type SceneBoard } from './support/scene.ts';

/** One host that serves a board for each policy; every scenario has issues of its own. */
let scene: Scene;
let plain: SceneBoard;
let impatient: SceneBoard;
let hooked: SceneBoard;
let unknown: SceneBoard;
let gated: SceneBoard;
let patient: SceneBoard;
beforeAll(async () => {
  scene = makeScene();
  plain = scene.board('plain');
  impatient = scene.board('impatient', { agent: { stall_timeout_ms: 1_500 } });
  hooked = scene.board('hooked', { hooks: { before_run: 'echo no luck; exit 3' } });
  unknown = scene.board('unknown', { prompt: 'KEY={{ issue.key }} of {{ issue.sprint }}' });
  gated = scene.board('gated', { verify: ['test -e reviewed.txt'] });
  patient = scene.board('patient', { agent: { max_failures: 3 } });
  await scene.start();
});
afterAll(() => scene.end());

const branchOf = (key: string) => branchName(key as IssueId);
const historyOf = async (key: string) =>
  JSON.parse((await scene.cli('history', key, '--json')).stdout) as readonly HistoryEntry[];
const inState = (board: SceneBoard, key: string, state: string) =>
  eventually(
    () => board.stateOf(key),
    (now) => now === state,
    40_000,
  );
const parkedOf = async (key: string) => (await scene.status()).parked.find((parked) => parked.key === key);

function folderOf(turnId: string): string {
  return join(scene.dataDir, 'turns', turnId);
}

describe.concurrent('an agent', () => {
  test('that exits 0 and does nothing has not succeeded: nothing is pushed, and a person is told', async () => {
    scene.agent('NOTHING', 'exit 0');
    plain.add('NOTHING');
    await inState(plain, 'NOTHING', 'In Review');
    await scene.fact('settled', 'NOTHING');
    expect(await historyOf('NOTHING')).toMatchObject([{ class: 'no-progress', pushed: false }]);
    expect(scene.repository.branch(branchOf('NOTHING'))).toBeUndefined();
    expect(plain.commentOf('NOTHING')).toContain('nothing to do');
  });

  test('that hangs silently is ended, and its issue is parked with the reason', async () => {
    scene.agent('HANG', 'wait_for never');
    impatient.add('HANG');
    await inState(impatient, 'HANG', 'In Review');
    await scene.fact('parked', 'HANG');
    expect(await historyOf('HANG')).toMatchObject([{ class: 'agent', outcome: 'parked' }]);
    expect(await parkedOf('HANG')).toMatchObject({ reason: 'failures' });
    expect(impatient.commentOf('HANG')).toContain('no sign of');
  });

  test('that ignores SIGTERM is killed, and its issue starts again only when it is seen stopped', async () => {
    scene.agent('STUBBORN', 'trap "" TERM; say stubborn; wait_for calm; work "$1"');
    plain.add('STUBBORN');
    await scene.heard('stubborn');
    plain.move('STUBBORN', 'Backlog');
    await scene.fact('stop-asked', 'STUBBORN');
    plain.move('STUBBORN', 'Todo');
    const seen = await scene.fact('stopped-seen', 'STUBBORN');
    scene.open('calm');
    await inState(plain, 'STUBBORN', 'In Review');
    const again = await scene.fact('claimed', 'STUBBORN', ({ attempt }) => (attempt ?? 0) > 1);
    expect(again.time).toBeGreaterThanOrEqual(seen.time);
    expect(scene.runsOf('STUBBORN')).toBe(2);
  });

  test('that leaves a child in a session of its own leaves nothing behind', async () => {
    // The agent goes on when the child has begun: one that is ended before proves nothing, and gives no sign.
    scene.agent(
      'ORPHAN',
      `setsid sh -c ': > "$SCENE/gates/orphaned"; exec sleep 98765' & wait_for orphaned; work "$1"`,
    );
    plain.add('ORPHAN');
    await scene.heard('orphaned');
    await inState(plain, 'ORPHAN', 'In Review');
    await eventually(
      () => processesWith('sleep\u000098765'),
      (left) => left.length === 0,
    );
  });

  test('that writes 8 MB on one line is delivered, and its log stays small enough to read', async () => {
    scene.agent('LOUD', 'head -c 8388608 /dev/zero | tr "\\0" x; work "$1"');
    plain.add('LOUD');
    await inState(plain, 'LOUD', 'In Review');
    await scene.fact('settled', 'LOUD');
    const [turn] = await historyOf('LOUD');
    expect(turn).toMatchObject({ outcome: 'handed-off', pushed: true });
    expect(statSync(join(folderOf(turn!.turnId), 'out', 'agent.log')).size).toBeLessThan(16 * 1024 * 1024);
    const logs = await scene.cli('logs', 'LOUD');
    expect(logs.code).toBe(0);
    expect(logs.stdout).toContain('==> agent.log <==\nxxxx');
  });

  test('that plants git hooks does not get them run by anybody else', async () => {
    const planted = join(scene.dir, 'planted');
    scene.agent(
      'PLANT',
      `for hook in pre-commit post-commit pre-push post-checkout reference-transaction pre-receive; do
  for place in .git/hooks "$(git rev-parse --git-common-dir)/hooks"; do
    mkdir -p "$place"
    printf '#!/bin/sh\\necho "$0" >> ${planted}\\n' > "$place/$hook"
    chmod +x "$place/$hook"
  done
done
git config core.fsmonitor "touch ${planted}"
git config core.hooksPath .git/hooks
work "$1"`,
    );
    plain.add('PLANT');
    await inState(plain, 'PLANT', 'In Review');
    expect(scene.repository.read(branchOf('PLANT'), 'PLANT.txt')).toBe('work of PLANT');
    expect(existsSync(planted)).toBe(false);
  });

  test('whose branch somebody else moves meanwhile overwrites nothing, keeps its work, and tries again', async () => {
    scene.agent('MOVED', 'work "$1"; echo more >> more.txt; say cloned; wait_for pushed');
    patient.add('MOVED');
    await scene.heard('cloned');
    const theirs = scene.repository.push(branchOf('MOVED'), { 'theirs.txt': 'by somebody\n' }, 'main');
    scene.open('pushed');
    await inState(patient, 'MOVED', 'In Review');
    await scene.fact('settled', 'MOVED', ({ outcome }) => outcome === 'handed-off');
    const [first, last] = [(await historyOf('MOVED'))[0], (await historyOf('MOVED')).at(-1)];
    expect(first).toMatchObject({
      class: 'delivery',
      pushed: false,
      wipBranch: wipBranchName('MOVED' as IssueId),
    });
    expect(last).toMatchObject({ outcome: 'handed-off', pushed: true });
    const log = scene.repository.git('log', '--format=%H', `refs/heads/${branchOf('MOVED')}`).split('\n');
    expect(log).toContain(theirs);
    expect(scene.repository.read(branchOf('MOVED'), 'theirs.txt')).toBe('by somebody');
  });

  test('whose workspace is removed while it works fails alone, and its issue can start again', async () => {
    scene.agent('HOMELESS', 'say housed; wait_for razed; work "$1"');
    plain.add('HOMELESS');
    await scene.heard('housed');
    const { turnId } = await scene.fact('turn-started', 'HOMELESS');
    rmSync(join(folderOf(turnId!), 'ws'), { recursive: true, force: true });
    scene.open('razed');
    const { outcome } = await scene.fact('settled', 'HOMELESS');
    expect(outcome).not.toBe('handed-off');
    plain.move('HOMELESS', 'Backlog');
    await scene.ticks(2);
    plain.move('HOMELESS', 'Todo');
    await eventually(
      () => scene.runsOf('HOMELESS'),
      (runs) => runs >= 2,
      40_000,
    );
    await inState(plain, 'HOMELESS', 'In Review');
    expect(scene.repository.read(branchOf('HOMELESS'), 'HOMELESS.txt')).toBe('work of HOMELESS');
  });
});

describe.concurrent('a policy', () => {
  test('whose hook fails parks the issue where it stands, and names the log', async () => {
    hooked.add('HOOK');
    await scene.fact('parked', 'HOOK');
    expect(hooked.stateOf('HOOK')).toBe('In Progress');
    expect(scene.runsOf('HOOK')).toBe(0);
    expect(await parkedOf('HOOK')).toMatchObject({ board: 'hooked', reason: 'policy' });
    const { stdout } = await scene.cli('logs', 'HOOK');
    expect(stdout).toContain('==> before_run.log <==\nno luck');
  });

  test('whose template names an unknown variable parks the issue and names the variable', async () => {
    unknown.add('SPRINT');
    await scene.fact('parked', 'SPRINT');
    expect(scene.runsOf('SPRINT')).toBe(0);
    expect(await parkedOf('SPRINT')).toMatchObject({ board: 'unknown', reason: 'policy' });
    const { stdout } = await scene.cli('explain', 'SPRINT');
    expect(stdout).toContain('issue.sprint');
  });

  test('whose gate fails pushes nothing to the branch, tries again with the log, then asks a person', async () => {
    gated.add('GATE');
    await inState(gated, 'GATE', 'In Review');
    await scene.fact('parked', 'GATE');
    expect(scene.runsOf('GATE')).toBe(2);
    expect(await historyOf('GATE')).toMatchObject([
      { class: 'verification', outcome: 'retry', pushed: false, verify: [{ status: 'failed' }] },
      { class: 'verification', outcome: 'parked', pushed: false },
    ]);
    expect(scene.repository.branch(branchOf('GATE'))).toBeUndefined();
    expect(scene.repository.read(wipBranchName('GATE' as IssueId), 'GATE.txt')).toBe('work of GATE');
  });
});

/** Processes whose command line contains this. */
function processesWith(text: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
    } catch {
      return false;
    }
  });
}
