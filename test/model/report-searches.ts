import type { Findings, Story } from './search/explore.ts';
import { faultOf, type Mutant, type Search, stepsToBreak } from './searches.ts';

const widths = [6, 66, 12, 13, 8, 0];

/** Rows of two tables, in a form that a page of Markdown takes as it is. */
export const searchHead = rowOf(['model', 'scope', 'states', 'transitions', 'seconds', 'result']);
export const mutantHead = rowOf(['model', 'rule left out', 'steps', 'first models', 'seconds', 'broken']);
export const rule = rowOf(['', '', '', '', '', ''].map(() => '---'));

export function describeSearch(search: Search, found: Findings): string {
  const known = [...found.broken].map(([what, { steps }]) => `only ${what}, ${steps.length} steps`);
  const { model, scope } = search;
  const result = faultOf(search, found) ?? (known.length > 0 ? known.join('; ') : 'holds');
  return rowOf([
    model,
    scope,
    count(found.states),
    count(found.transitions),
    found.seconds.toFixed(1),
    result,
  ]);
}

export function describeMutant(mutant: Mutant, found: Findings): string {
  const steps = stepsToBreak(mutant, found);
  const isStuck = mutant.breaks === 'stuck' && found.stuck !== undefined;
  const shown = isStuck ? `${count(found.stuck.count)} states` : steps;
  const { model, leftOut, firstModel } = mutant;
  const what = mutant.breaks === 'stuck' ? 'no way back' : mutant.breaks.toLowerCase();
  const result = steps === undefined ? `SURVIVED: ${what}` : what;
  return rowOf([model, leftOut, String(shown ?? '-'), firstModel, found.seconds.toFixed(1), result]);
}

/** A counterexample, one step a line. */
export function describeStory(title: string, { steps, end }: Story): string {
  const lines = steps.map((step, at) => `${String(at + 1).padStart(4)}. ${step}`);
  return [`${title}, in ${steps.length} steps:`, ...lines, `      ${end}`].join('\n');
}

/** Every counterexample of a search that is not as it must be. */
export function describeFaults(search: Search, found: Findings): readonly string[] {
  if (faultOf(search, found) === undefined) return [];
  const title = (what: string) => `${search.model}, ${search.scope}: ${what}`;
  if (!found.complete) return [title('the search was not complete')];
  const broken = [...found.broken].map(([what, story]) => describeStory(title(what), story));
  const { stuck } = found;
  return stuck === undefined
    ? broken
    : [...broken, describeStory(title('no way back to a clean state'), stuck.story)];
}

export function count(number: number): string {
  return number.toLocaleString('en-US');
}

function rowOf(cells: readonly string[]): string {
  return `| ${cells.map((cell, at) => cell.padEnd(widths[at]!)).join(' | ')} |`;
}
