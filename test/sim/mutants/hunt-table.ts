import { sectionOf, withSection } from '../../support/page-section.ts';
import { mutants } from './all-mutants.ts';
import type { Hunt } from './hunt.ts';

export const huntHead = `| rule taken out | what it is for | noticed first by | worlds until noticed | median |
| --- | --- | --- | --- | --- |`;

export function describeHunt({ mutant, kills, rules, median, seedsPerBlock }: Hunt): string {
  const worlds = kills.map((kill) => kill ?? `>${seedsPerBlock}`).join(', ');
  const noticed = rules.join(', ') || 'nothing';
  return `| ${mutant.name} | ${mutant.breaks} | ${noticed} | ${worlds} | ${median ?? `>${seedsPerBlock}`} |`;
}

const command = 'npm run hunt -- --write';

/** The page with the rows of these hunts; rows of other mutants stay, and those of mutants that are no more go. */
export function withHunts(page: string, hunts: readonly Hunt[]): string {
  const rows = new Map(rowsOf(page).map((row) => [nameOf(row), row]));
  for (const hunt of hunts) rows.set(hunt.mutant.name, describeHunt(hunt));
  const listed = mutants.flatMap(({ name }) => rows.get(name) ?? []);
  return withSection(page, command, [huntHead, ...listed].join('\n'));
}

/** The mutants that the page has a row for. */
export function namesOnPage(page: string): readonly string[] {
  return rowsOf(page).map(nameOf);
}

function rowsOf(page: string): readonly string[] {
  const lines = sectionOf(page, command).split('\n');
  return lines.filter((line) => line.startsWith('|')).slice(2);
}

function nameOf(row: string): string {
  return row.split('|')[1]?.trim() ?? '';
}
