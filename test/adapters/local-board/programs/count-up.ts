import { setTimeout as sleep } from 'node:timers/promises';
import { localBoard } from '../../../../lib/adapters/local-board/local-board.ts';
import type { IssueId, StateName } from '../../../../lib/core/issue.ts';

/** Moves the issue to the state with the next number, `TIMES` times, against others who do the same; prints its tries. */
const [folder = '', id = '', times = ''] = process.argv.slice(2);
const board = localBoard({ folder, terminalStates: [], timing: { quietMs: 1, lookAgainMs: 1 } });
let left = Number(times);
let tries = 0;
while (left > 0) {
  const reading = await board.read(id as IssueId);
  if (reading.kind !== 'found') throw new Error(`${id} was read as ${reading.kind}`);
  tries += 1;
  const written = await board.transition(reading.issue, String(Number(reading.issue.state) + 1) as StateName);
  if (written.kind === 'rejected') throw new Error(written.problem);
  if (written.kind === 'written') left -= 1;
  else await sleep(Math.random() * 5);
}
process.stdout.write(`${tries}`);
