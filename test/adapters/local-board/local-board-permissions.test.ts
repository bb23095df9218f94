import { chmod, chown, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { IssueId, StateName } from '../../../lib/core/issue.ts';
import { readFresh } from '../../contracts/tracker-world.ts';
import { issueText, type LocalBoardWorld, makeLocalBoard } from './local-board-world.ts';

let world: LocalBoardWorld;
beforeEach(async () => {
  world = await makeLocalBoard();
});
afterEach(() => world.dispose());

const read = (id: string) => world.tracker.read(id as IssueId);
const readFound = (id: string) => readFresh(world, id as IssueId);
const listAll = () => world.listKeys();

/** Nobody in particular: who may read the board and, by default, write nothing. */
const nobody = 65_534;

describe.skipIf(process.getuid?.() !== 0 || process.seteuid === undefined)(
  'without the permission to write (needs root, to give it up)',
  () => {
    beforeEach(async () => {
      await world.put('A-1.md', issueText('T'));
      await chmod(world.folder, 0o755);
    });
    const asNobody = async <Answer>(act: () => Promise<Answer>): Promise<Answer> => {
      process.setegid?.(nobody);
      process.seteuid?.(nobody);
      try {
        return await act();
      } finally {
        process.seteuid?.(0);
        process.setegid?.(0);
      }
    };
    const tryToMove = () =>
      asNobody(async () => world.tracker.transition(await readFound('A-1'), 'Done' as StateName));
    const expectRefused = async () => {
      expect(await tryToMove()).toEqual({
        kind: 'rejected',
        problem: expect.stringMatching(/^A-1\.md.*(read-only|user)/),
      });
      expect(await world.text('A-1.md')).toBe(issueText('T'));
      expect(await world.names()).toEqual(['A-1.md', 'board.yaml']);
    };

    test('in the folder, a move throws: it is trouble of the whole board and not of this issue', async () => {
      await chown(join(world.folder, 'A-1.md'), nobody, nobody);
      await expect(tryToMove()).rejects.toThrow(/^A-1\.md.*read-only/);
      expect(await world.names()).toEqual(['A-1.md', 'board.yaml']);
    });

    test('in the file, a move is rejected', async () => {
      await chown(world.folder, nobody, nobody);
      await expectRefused();
    });

    test('in a file of our own, a move is rejected', async () => {
      await chown(world.folder, nobody, nobody);
      await chown(join(world.folder, 'A-1.md'), nobody, nobody);
      await chmod(join(world.folder, 'A-1.md'), 0o444);
      await expectRefused();
    });

    test('but that of the group, a move keeps the group', async () => {
      await chown(world.folder, nobody, nobody);
      await chown(join(world.folder, 'A-1.md'), 0, nobody);
      await chmod(join(world.folder, 'A-1.md'), 0o664);
      expect(await tryToMove()).toEqual({ kind: 'written' });
      const { gid, mode } = await stat(join(world.folder, 'A-1.md'));
      expect([gid, mode & 0o777]).toEqual([nobody, 0o664]);
    });

    test('a file of another user, which would be lost to him, is not replaced', async () => {
      await chown(world.folder, nobody, nobody);
      await chmod(join(world.folder, 'A-1.md'), 0o646);
      await expectRefused();
    });

    test('an issue that may not be read is unknown, and the others are listed', async () => {
      await world.put('B-1.md', issueText('T'));
      await chmod(join(world.folder, 'A-1.md'), 0o600);
      expect(await asNobody(listAll)).toEqual({ keys: ['B-1'], broken: ['A-1'] });
      expect((await asNobody(() => read('A-1'))).kind).toBe('unknown');
    });

    test('to read the folder, nothing is gone', async () => {
      await chmod(world.folder, 0o311);
      await rm(join(world.folder, 'A-1.md'));
      expect((await asNobody(() => read('A-1'))).kind).toBe('unknown');
      await expect(asNobody(listAll)).rejects.toThrow('EACCES');
    });

    test('as the owner, a move keeps the owner', async () => {
      await chown(join(world.folder, 'A-1.md'), nobody, nobody);
      expect(await world.tracker.transition(await readFound('A-1'), 'Done' as StateName)).toEqual({
        kind: 'written',
      });
      expect(await stat(join(world.folder, 'A-1.md'))).toMatchObject({ uid: nobody, gid: nobody });
    });
  },
);
