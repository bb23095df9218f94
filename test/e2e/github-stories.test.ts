import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { branchName, wipBranchName } from '../../lib/core/names.ts';
import { eventually } from '../support/eventually.ts';
import { type Card, type GitHubScene, makeGitHubScene } from './support/github-scene.ts';

/** What happens to issues while people act on them, through the command line, on a board of either kind. */

vi.setConfig({ testTimeout: 400_000 });

describe.each(['github', 'github-project'] as const)('on a board of kind %s', (kind) => {
  let scene: GitHubScene;
  const works = () => ({
    command: `echo ran >> ${scene.dir}/ran; echo work > work.txt`,
    max_failures: 1,
    max_no_progress: 1,
  });
  beforeEach(async () => {
    scene = await makeGitHubScene(kind);
    scene.writeWorkflow(works());
  });
  afterEach(() => scene.end());

  const closings = (cards: readonly Card[]) =>
    cards.map(({ issue }) => [issue.state, issue.stateReason, issue.comments.length]);
  const closed = ['CLOSED', 'NOT_PLANNED', 0];
  const close = ({ issue }: Card) => scene.alice.close(issue, 'NOT_PLANNED');
  const decisions = async () => {
    const { stdout } = await scene.cli('plan', '--json');
    const told = JSON.parse(stdout).boards[0].decisions as { key: string; action: string; reason: string }[];
    return told.map(({ key, action, reason }) => `${key} ${action}/${reason}`);
  };
  /** Once before the next request of this operation at which the condition holds. */
  const when = (operation: string, holds: () => boolean, act: () => void): void =>
    scene.server.before(operation, () => (holds() ? act() : when(operation, holds, act)));

  test('a close stays at the worst moments of a turn: as it starts, while it runs, before it is judged, in its hand-off', async () => {
    scene.writeWorkflow({
      ...works(),
      max_concurrent_agents: 1,
      command: [
        'echo work > work.txt',
        `echo ran >> ${scene.dir}/ran`,
        `if [ $(wc -l < ${scene.dir}/ran) -eq 1 ]; then sleep 300; fi`,
        `echo done >> ${scene.dir}/done`,
      ].join('; '),
    });
    const cards = ['As it starts', 'While it runs', 'Before it is judged', 'In its hand-off'].map((title) =>
      scene.add(title, 'Todo'),
    );
    const [starting, running, judged, handedOff] = cards as [Card, Card, Card, Card];
    const { move, read } = scene.operations;
    const done = (count: number) => () => scene.linesOf('done').length === count;
    when(
      move,
      () => true,
      () => close(starting),
    );
    when(read, done(1), () => close(judged));
    when(move, done(2), () => close(handedOff));
    const started = scene.start();
    await eventually(
      () => scene.linesOf('ran').length,
      (runs) => runs === 1,
      100_000,
    );
    close(running);

    const { code, stderr } = await started;
    expect(code, stderr).toBe(0);
    expect(closings(cards)).toEqual([closed, closed, closed, closed]);
    expect(scene.linesOf('ran')).toHaveLength(3);
    // A label is taken back; a closed issue is terminal in whatever column its card is left.
    const left = kind === 'github' ? 'In Progress' : 'In Review';
    expect(scene.stateOf(handedOff)).toBe(left);
    expect(scene.code.read(wipBranchName(running.id), 'work.txt')).toBe('work');
    expect((await scene.checkTrace()).code).toBe(0);
  });

  test('a state that is renamed is told as a rename, and starts nothing until the file says so', async () => {
    expect((await scene.start()).code).toBe(0);
    scene.renameState('Todo', 'Ready');
    const card = scene.add('Mend the gate', 'Ready');
    const { stdout } = await scene.cli('plan', '--json');
    expect(JSON.stringify(JSON.parse(stdout).boards[0])).toContain("state 'todo' is now called 'Ready'");
    await scene.start();
    expect(scene.linesOf('ran')).toEqual([]);
    expect(scene.stateOf(card)).toBe('Ready');
    scene.writeWorkflow(works(), { active_states: ['ready', 'in progress'] });
    expect((await scene.start()).code).toBe(0);
    expect(scene.stateOf(card)).toBe('In Review');
  });

  test('a turn that fails is tried again, then parked and handed over; what waits there lets nothing new start, and a move by hand starts anew', async () => {
    scene.writeWorkflow({
      command: `echo ran >> ${scene.dir}/ran; echo work > work.txt; [ $(wc -l < ${scene.dir}/ran) -gt 2 ]`,
      max_concurrent_agents: 1,
      max_failures: 2,
      max_retry_backoff_ms: 1_000,
      max_in_handoff: 1,
      max_no_progress: 1,
    });
    const first = scene.add('Mend the gate', 'Todo');
    expect((await scene.start()).code).toBe(1);
    expect(scene.linesOf('ran')).toHaveLength(2);
    expect(scene.stateOf(first)).toBe('In Review');
    expect(first.issue.comments.map(({ body }) => body)).toEqual([expect.stringMatching(/exit|fail/i)]);

    const second = scene.add('Oil the hinge', 'Todo');
    expect(await decisions()).toContain('web#2 wait/review-queue-full');
    scene.move(first, 'Todo');
    expect(await decisions()).toEqual(
      expect.arrayContaining(['web#1 reset/moved-by-person', 'web#1 start/start']),
    );
    const again = await scene.start();
    expect(again.code, again.stderr).toBe(0);
    expect(scene.linesOf('ran')).toHaveLength(3);
    expect([scene.stateOf(first), scene.stateOf(second)]).toEqual(['In Review', 'Todo']);
    expect(first.issue.comments.map(({ body }) => body)).toEqual([
      expect.stringContaining('handed over to a person'),
    ]);
    expect(scene.code.read(branchName(first.id), 'work.txt')).toBe('work');
    expect((await scene.checkTrace()).code).toBe(0);
  });
});
