import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { BoardId } from '../core/issue.ts';

/** What boards are called, by the real path of their folders. */
export type BoardNames = Readonly<Record<string, string>>;

/** Names boards, the known ones as before; `onNew` keeps all names once there is a new one. */
export function boardNamer(
  known: BoardNames,
  onNew: (names: BoardNames) => Promise<unknown> = async () => {},
): (folder: string) => Promise<BoardId> {
  let names = known;
  return async (folder) => {
    const name = nameBoard(names, folder);
    if (names[folder] === name) return name;
    names = { ...names, [folder]: name };
    await onNew(names);
    return name;
  };
}

/**
 * The name of a folder's board: the folder's own name, which with a hash of its path where another folder has it
 * already. A name once given stays, so that leases and running turns find their board again.
 */
function nameBoard(names: BoardNames, folder: string): BoardId {
  const known = Object.hasOwn(names, folder) ? names[folder] : undefined;
  if (known !== undefined) return known as BoardId;
  const plain =
    basename(folder)
      .normalize('NFC')
      .replace(/[^\p{L}\p{N}._-]+/gu, '-')
      .slice(0, 40) || 'board';
  const taken = Object.values(names).includes(plain);
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, 6);
  return (taken ? `${plain}-${hash}` : plain) as BoardId;
}
