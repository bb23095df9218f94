import type { KeptWork } from '../host/find-kept-work.ts';
import type { WriteCommand } from './commands-for.ts';
import { harmlessLine } from './harmless-text.ts';

/** That work of ended turns is on this disk only, where, and who removes it; no line where there is none. */
export function describeKeptWork(
  { folder, turns, bytes, isPart }: KeptWork,
  command: WriteCommand,
): readonly string[] {
  if (turns.length === 0) return [];
  const [whose, them] = turns.length === 1 ? ['1 ended turn', 'it'] : [`${turns.length} ended turns`, 'them'];
  const size = `${isPart ? 'at least ' : ''}${roughSize(bytes)}`;
  const text = `Work of ${whose} is on this disk only: ${size} in ${folder}. \`${command('history')}\` says where; remove ${them} by hand once you have what you need.`;
  return ['', harmlessLine(text)];
}

/** `812 B`, `4 kB`, `1.2 GB`. */
function roughSize(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let at = 0;
  let size = bytes;
  for (; size >= 1_000 && at < units.length - 1; at += 1) size /= 1_000;
  return `${size < 10 && at > 0 ? size.toFixed(1) : Math.round(size)} ${units[at]}`;
}
