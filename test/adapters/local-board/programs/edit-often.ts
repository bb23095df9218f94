import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A person who saves an issue `TIMES` times, each time what was there and one line more, in place or by a rename, in
 * bursts and with pauses.
 */
const [path = '', how = '', times = ''] = process.argv.slice(2);
for (let line = 1; line <= Number(times); line += 1) {
  const text = `${readFileSync(path, 'utf8')}edit ${line}\n`;
  if (how === 'in-place') writeFileSync(path, text);
  else {
    writeFileSync(`${path}~`, text);
    renameSync(`${path}~`, path);
  }
  await sleep(line % 10 === 0 ? 100 : Math.random() * 12);
}
