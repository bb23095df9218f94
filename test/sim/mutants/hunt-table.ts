import { mutants } from './all-mutants.ts';
import type { Hunt } from './hunt.ts';

export const huntHead = `| rule taken out | what it is for | noticed first by | worlds until noticed | median |
| --- | --- | --- | --- | --- |`;

export function describeHunt({ mutant, kills, rules, median, seedsPerBlock }: Hunt): string {
  const worlds = kills.map((kill) => kill ?? `>${seedsPerBlock}`).join(', ');
  const noticed = rules.join(', ') || 'nothing';
  return `| ${mutant.name} | ${mutant.breaks} | ${noticed} | ${worlds} | ${median ?? `>${seedsPerBlock}`} |`;
}

const begin = '<!-- Written by `npm run hunt -- --write`. -->';
const end = '<!-- The end of what it writes. -->';

/** The page with the rows of these hunts; rows of other mutants stay, and those of mutants that are no more go. */
export function withHunts(page: string, hunts: readonly Hunt[]): string {
  const [before, rest] = split(page, begin);
  const [table, after] = split(rest, end);
  const rows = new Map(rowsOf(table).map((row) => [nameOf(row), row]));
  for (const hunt of hunts) rows.set(hunt.mutant.name, describeHunt(hunt));
  const listed = mutants.flatMap(({ name }) => rows.get(name) ?? []);
  return `${before}${begin}\n\n${[huntHead, ...listed].join('\n')}\n\n${end}${after}`;
}

/** The mutants that the page has a row for. */
export function namesOnPage(page: string): readonly string[] {
  const [, rest] = split(page, begin);
  return rowsOf(split(rest, end)[0]).map(nameOf);
}

function rowsOf(table: string): readonly string[] {
  return table
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2);
}

function nameOf(row: string): string {
  return row.split('|')[1]?.trim() ?? '';
}

function split(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark);
  if (at < 0) throw new Error(`docs/reliability.md has no line: ${mark}`);
  return [text.slice(0, at), text.slice(at + mark.length)];
}
