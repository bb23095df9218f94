import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { BoardId } from '../core/issue.ts';

/** What boards are called, by their places. */
export type BoardNames = Readonly<Record<string, string>>;

/** Names boards, the known ones as before; `onNew` keeps all names once there is a new one. */
export function boardNamer(
  known: BoardNames,
  onNew: (names: BoardNames) => Promise<unknown> = async () => {},
): (place: string) => Promise<BoardId> {
  let names = known;
  return async (place) => {
    const name = nameBoard(names, place);
    if (names[place] === name) return name;
    names = { ...names, [place]: name };
    await onNew(names);
    return name;
  };
}

/**
 * The name of a board: the last part of its place, or `owner-number` of a project, which with a hash of the whole where another board has it already. A name once given stays, so that leases and running turns find their board again.
 */
function nameBoard(names: BoardNames, place: string): BoardId {
  const known = Object.hasOwn(names, place) ? names[place] : undefined;
  if (known !== undefined) return known as BoardId;
  const plain =
    (projectIn(place) ?? basename(place))
      .normalize('NFC')
      .replace(/[^\p{L}\p{N}._-]+/gu, '-')
      .slice(0, 40) || 'board';
  const taken = Object.values(names).includes(plain);
  const hash = createHash('sha256').update(place).digest('hex').slice(0, 6);
  return (taken ? `${plain}-${hash}` : plain) as BoardId;
}

/** A number alone would say nothing. */
function projectIn(place: string): string | undefined {
  const [, owner, number] = /^https:\/\/[^/]+\/([^/]+)\/projects\/(\d+)$/.exec(place) ?? [];
  return owner === undefined ? undefined : `${owner}-${number}`;
}
