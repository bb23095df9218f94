import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { printOf } from '../../../../lib/adapters/local-board/aside-file.ts';
import type { SwapMoment } from '../../../../lib/adapters/local-board/replace-file.ts';
import { swapFile } from '../../../../lib/adapters/local-board/swap-file.ts';

/**
 * Swaps a file's content and kills itself at the moment `DEATH`, when it comes for the `NTH` time. With an `EDIT`, an
 * editor that had the file open writes it into the replaced file.
 */
const [path = '', next = '', death = '', nth = '1', edit] = process.argv.slice(2);
let file = -1;
let seen = 0;

function act(moment: SwapMoment): void {
  if (edit !== undefined && moment === 'checked' && file < 0) file = openSync(path, 'r+');
  if (edit !== undefined && moment === 'replaced' && file > 0) {
    ftruncateSync(file);
    writeSync(file, edit, 0);
    closeSync(file);
    file = 0;
  }
  if (moment !== death) return;
  seen += 1;
  if (seen === Number(nth)) process.kill(process.pid, 'SIGKILL');
}

await swapFile(path, printOf(readFileSync(path)), Buffer.from(next), { quietMs: 1, lookAgainMs: 1 }, act);
