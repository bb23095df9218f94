import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { IssueId } from '../../../lib/core/issue.ts';
import { eventually } from '../../support/eventually.ts';
import { type LabelWorld, makeLabelWorld } from '../../support/github/label-world.ts';
import { makeProjectWorld, type ProjectWorld } from '../../support/github/project-world.ts';
import { boardId, buildWorld, completed, type World } from '../../support/world.ts';

/** What is written to GitHub at the end of a turn, and what never is. */

test('the writes that are sent to GitHub are a closed list: no whole set, no reopening, no change of the board itself', () => {
  const folder = fileURLToPath(new URL('../../../lib/adapters/github/', import.meta.url));
  const texts = readdirSync(folder).map((name) => readFileSync(`${folder}${name}`, 'utf8'));
  const fields = texts.flatMap((text) => [...text.matchAll(/(\w+)\(input:/g)].map(([, field]) => field));
  expect(fields.sort()).toEqual([
    'addComment',
    'addLabelsToLabelable',
    'createPullRequest',
    'deleteIssueComment',
    'removeLabelsFromLabelable',
    'updateIssueComment',
    'updateProjectV2ItemFieldValue',
    'updatePullRequest',
  ]);
  expect(texts.filter((text) => text.includes('mutation ')).length).toBeGreaterThan(0);
});

describe.each(['labels', 'project'] as const)('the end of a turn on a board of kind %s', (kind) => {
  let github: LabelWorld | ProjectWorld;
  let world: World;
  let id: IssueId;
  beforeEach(async () => {
    const states = {
      active: ['Todo', 'In Progress'],
      handoff: 'In Review',
      terminal: ['Done', 'Cancelled'],
      others: [],
    };
    const options = { viewer: { login: 'evenkeel[bot]', kind: 'Bot' }, board: { states } } as const;
    github = await (kind === 'labels' ? makeLabelWorld(options) : makeProjectWorld(options));
    world = await buildWorld();
    world.clock.step(Date.now() - world.clock.now());
    world.changeBoard({ tracker: github.tracker });
    id = await github.add({ key: 'A-1', state: 'Todo' });
  });
  afterEach(() => github.dispose());

  /** A turn that went well ends, and something goes wrong right before it is settled. */
  async function endTurn(spoil: () => void): Promise<void> {
    await world.run(id);
    await world.result(id, completed);
    await world.exit(id);
    spoil();
    await world.stoppedEvent(id);
  }
  const refuseComment = (message: string, headers: Record<string, string> = {}) =>
    github.server.fail('AddComment', { status: 403, headers, json: { message } });
  const isHandedOff = async () => {
    expect(await github.stateOf(id)).toBe('In Review');
    expect(await world.leaseOf(id)).toMatchObject({ phase: 'idle', counters: { agent: 0 } });
    expect((await world.leaseOf(id))?.parked).toBeUndefined();
    expect(await world.ledger.history(boardId, id)).toMatchObject([{ outcome: 'handed-off' }]);
    expect(await github.commentsOf(id)).toEqual([]);
    expect(world.facts.filter(({ reason }) => reason === 'comment-failed')).toHaveLength(1);
  };

  test('loses no result to a limit on comments: the history holds it, and nothing is asked until the limit ends', async () => {
    await endTurn(() => refuseComment('You have exceeded a secondary rate limit.', { 'retry-after': '60' }));
    expect(await github.stateOf(id)).toBe('In Review');
    expect(await world.ledger.history(boardId, id)).toMatchObject([{ outcome: 'handed-off' }]);
    const asked = github.server.log.length;
    await world.tick();
    expect(github.server.log).toHaveLength(asked);
  });

  test('comments once the limit has ended', async () => {
    await endTurn(() => refuseComment('You have exceeded a secondary rate limit.', { 'retry-after': '1' }));
    world.clock.step(61_000);
    const comments = await eventually(
      async () => {
        await world.tick();
        return github.commentsOf(id);
      },
      ({ length }) => length > 0,
    );
    expect(comments).toEqual([expect.stringContaining('handed over to a person')]);
    expect(await world.leaseOf(id)).toMatchObject({ phase: 'idle' });
    expect(await world.ledger.history(boardId, id)).toHaveLength(1);
  });

  test('is let go without a comment where a limit lasts for long', async () => {
    await endTurn(() =>
      refuseComment('You have exceeded a secondary rate limit.', { 'retry-after': '3600' }),
    );
    world.clock.step(601_000);
    await world.tick();
    expect(await github.stateOf(id)).toBe('In Review');
    expect(await world.leaseOf(id)).toMatchObject({ phase: 'idle' });
  });

  test.each([
    ['is locked', () => Object.assign(github.issue(id), { locked: true })],
    ['may not be commented on', () => refuseComment('Resource not accessible by integration')],
  ])('hands off an issue that %s, and does not count as a failure', async (_, spoil) => {
    await endTurn(spoil);
    await isHandedOff();
  });

  test('has one comment, which later turns replace, and one more only where it was deleted', async () => {
    await endTurn(() => undefined);
    await github.move(id, 'Todo');
    await endTurn(() => undefined);
    expect(await github.commentsOf(id)).toEqual([expect.stringContaining('evenkeel/issue/')]);
    github.issue(id).comments.splice(0);
    await github.move(id, 'Todo');
    await endTurn(() => undefined);
    expect(await github.commentsOf(id)).toHaveLength(1);
  });

  test('makes no loop: the tick that our own writes ask for through a webhook writes nothing', async () => {
    await endTurn(() => undefined);
    const before = github.server.log.length;
    await world.tick();
    const asked = github.server.log.slice(before).map(({ operation }) => operation);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((name) => /Move|Comment/.test(name))).toEqual([]);
  });
});
