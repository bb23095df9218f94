import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Arn, TurnId } from '../../../lib/core/issue.ts';
import type { TurnResult } from '../../../lib/core/turn-protocol.ts';
import { layOutFolder } from '../../../lib/turn/turn-folder.ts';
import {
  launch,
  launchRequest,
  stateOf,
  turnOne,
  turnTwo,
  untilStopped,
} from '../../contracts/describe-runner.ts';
import { isAlive, localRunner } from '../../support/local-runner.ts';

const dayMs = 24 * 60 * 60 * 1000;
const week = { keep: () => false, olderThanMs: 7 * dayMs };

describe('the sweep of turn folders', () => {
  let world: Awaited<ReturnType<typeof localRunner>>;
  let now: number;
  beforeEach(async () => {
    now = Date.now();
    world = await localRunner([], { clock: { now: () => now, sleep: async () => {} } });
  });
  afterEach(() => world.dispose());

  async function endedTurn(turnId: TurnId): Promise<Arn> {
    const arn = await launch(world.runner, launchRequest({ turnId }));
    await world.finish(turnId, 0);
    await untilStopped(world.runner, arn);
    return arn;
  }

  const hasFolder = (turnId: TurnId) => existsSync(world.fileOf(turnId, '.'));

  it('removes what ended long ago and nothing that ended lately', async () => {
    const arn = await endedTurn(turnOne);
    now += 6.9 * dayMs;
    expect(await world.runner.sweepFolders(week)).toEqual({ removed: [], problems: [] });
    now += 0.2 * dayMs;
    expect(await world.runner.sweepFolders(week)).toEqual({ removed: [turnOne], problems: [] });
    expect(hasFolder(turnOne)).toBe(false);
    expect(await stateOf(world.runner, arn)).toEqual({ kind: 'missing' });
  });

  it('keeps what is still needed', async () => {
    await endedTurn(turnOne);
    await endedTurn(turnTwo);
    now += 30 * dayMs;
    const keep = (turnId: TurnId) => turnId === turnOne;
    expect(await world.runner.sweepFolders({ ...week, keep })).toMatchObject({ removed: [turnTwo] });
    expect(hasFolder(turnOne)).toBe(true);
  });

  it('keeps the folder of a turn that runs, however old', async () => {
    await launch(world.runner, launchRequest());
    const { pid } = await world.untilBegun(turnOne);
    now += 30 * dayMs;
    for (const host of [world.runner, world.restartedHost()]) {
      expect(await host.sweepFolders(week)).toEqual({ removed: [], problems: [] });
    }
    expect([hasFolder(turnOne), await isAlive(pid)]).toEqual([true, true]);
  });

  it('removes folders from which nothing was ever launched', async () => {
    mkdirSync(world.fileOf(turnOne, 'workspace'), { recursive: true });
    now += 8 * dayMs;
    expect(await world.runner.sweepFolders(week)).toMatchObject({ removed: [turnOne] });
  });

  describe('with work in them', () => {
    const month = 30 * dayMs;

    /** A turn that worked in its folder and ended: with that result, or killed before it left any. */
    async function workedTurn(result: Partial<TurnResult> | undefined) {
      await endedTurn(turnOne);
      const folder = await layOutFolder(world.fileOf(turnOne, ''));
      for (const path of [folder.workspace, folder.repository, folder.gates]) mkdirSync(path);
      writeFileSync(join(folder.workspace, 'work.txt'), 'work');
      writeFileSync(folder.log('agent'), 'it worked');
      const whole: TurnResult = { version: 1, status: 'completed', verify: [], ...result };
      if (result !== undefined) writeFileSync(folder.outcome, JSON.stringify(whole));
      now += month;
      return folder;
    }

    const whatStays = (paths: readonly string[]) => paths.filter((path) => existsSync(path));

    it('go as a whole when all of it is elsewhere', async () => {
      await workedTurn({});
      expect(await world.runner.sweepFolders(week)).toMatchObject({ removed: [turnOne] });
      expect(hasFolder(turnOne)).toBe(false);
    });

    it.each([
      ['the result names it', {}],
      ['a later turn of the issue made it for a killed one', undefined],
    ])('keep a bundle and the logs, and lose their checkouts, when %s', async (_what, result) => {
      const folder = await workedTurn(result);
      writeFileSync(folder.workBundle, 'the only copy');
      if (result === undefined) writeFileSync(world.fileOf(turnOne, 'rescued.txt'), folder.workBundle);
      for (const host of [world.runner, world.restartedHost()]) {
        expect(await host.sweepFolders(week)).toEqual({ removed: [], problems: [] });
        now += month;
      }
      const { workBundle, workspace, repository, gates, temporary } = folder;
      const log = folder.log('agent');
      expect(whatStays([workBundle, log, workspace, repository, gates, temporary])).toEqual([
        workBundle,
        log,
      ]);
    });

    it('keep the note that says where the work of a killed turn is now', async () => {
      const { workspace } = await workedTurn(undefined);
      const note = world.fileOf(turnOne, 'rescued.txt');
      writeFileSync(note, 'evenkeel/wip/web-1\n');
      expect(await world.runner.sweepFolders(week)).toEqual({ removed: [], problems: [] });
      expect(whatStays([note, workspace])).toEqual([note]);
    });

    it.each([
      ['the result says that some is in the workspace only', { inWorkspaceOnly: true }],
      ['the turn was killed and nobody has taken its work over', undefined],
    ])('keep everything when %s', async (_what, result) => {
      const { workspace, repository } = await workedTurn(result);
      expect(await world.runner.sweepFolders(week)).toEqual({ removed: [], problems: [] });
      expect(whatStays([join(workspace, 'work.txt'), repository])).toHaveLength(2);
    });
  });

  it('follows no link out of the folder', async () => {
    await endedTurn(turnOne);
    const outside = join(world.dataDir, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'file'), 'stays');
    symlinkSync(outside, world.fileOf(turnOne, 'link'));
    now += 8 * dayMs;
    expect(await world.runner.sweepFolders(week)).toMatchObject({ removed: [turnOne] });
    expect(existsSync(join(outside, 'file'))).toBe(true);
  });

  const isRoot = process.getuid?.() === 0;
  it.skipIf(isRoot)(
    'removes read-only folders, as tools leave them in their caches (root may always)',
    async () => {
      await endedTurn(turnOne);
      const cache = world.fileOf(turnOne, 'cache/module');
      mkdirSync(cache, { recursive: true });
      writeFileSync(join(cache, 'file'), '');
      chmodSync(cache, 0o500);
      now += 8 * dayMs;
      expect(await world.runner.sweepFolders(week)).toEqual({ removed: [turnOne], problems: [] });
    },
  );

  it.skipIf(isRoot)(
    'names what it cannot remove, and goes on with the others (needs a user who is not root)',
    async () => {
      await endedTurn(turnOne);
      await endedTurn(turnTwo);
      now += 8 * dayMs;
      chmodSync(join(world.dataDir, 'turns'), 0o500);
      const { removed, problems } = await world.runner.sweepFolders(week);
      chmodSync(join(world.dataDir, 'turns'), 0o700);
      expect(removed).toEqual([]);
      expect(problems).toEqual([expect.stringContaining(turnOne), expect.stringContaining(turnTwo)]);
    },
  );
});
