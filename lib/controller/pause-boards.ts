import type { BoardRecord } from '../core/board-record.ts';
import type { Change } from '../core/change.ts';
import type { BoardId } from '../core/issue.ts';
import { pause, resume } from '../core/pause-writes.ts';
import type { Ports } from './ports.ts';

/** Another writer of the board's item is a tick that keeps a contract or a breaker; it is soon done. */
const maxTries = 5;

/** Pauses one board or all. Throws when there is no board of that name. Answers the boards concerned. */
export async function pauseBoards(ports: Ports, name: string | undefined): Promise<readonly string[]> {
  return changeBoards(ports, name, (board) => pause(board, ports.clock.now()));
}

/** Lets one board or all start work again. */
export async function resumeBoards(ports: Ports, name: string | undefined): Promise<readonly string[]> {
  return changeBoards(ports, name, (board) => (board?.paused === undefined ? undefined : resume(board)));
}

type MakeChange = (board: BoardRecord | undefined) => Change<BoardRecord> | undefined;

async function changeBoards(
  ports: Ports,
  name: string | undefined,
  makeChange: MakeChange,
): Promise<readonly string[]> {
  const all = (await ports.boards()).map(({ id }) => id);
  const concerned = all.filter((id) => name === undefined || id === name);
  if (name !== undefined && concerned.length === 0) {
    const known = all.length === 0 ? 'no board is served' : `the boards are ${all.join(', ')}`;
    throw new Error(`There is no board "${name}": ${known}.`);
  }
  for (const id of concerned) await changeBoard(ports, id, makeChange);
  return concerned;
}

async function changeBoard({ ledger }: Ports, id: BoardId, makeChange: MakeChange): Promise<void> {
  for (let attempt = 1; attempt <= maxTries; attempt += 1) {
    const change = makeChange(await ledger.board(id));
    if (change === undefined || (await ledger.changeBoard(id, change)) === 'done') return;
  }
  throw new Error(`The item of board "${id}" is being changed by others all the time; try again.`);
}
