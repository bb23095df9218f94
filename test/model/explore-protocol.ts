/**
 * `npm run explore [-- TEXT] [--stories] [--write]`: searches every small world of the lease protocol for a broken promise, then
 * leaves its rules out one by one to show that the search would see it. TEXT picks rows by what they say; `--stories`
 * tells how each rule that is left out breaks what it is for; `--write` puts the whole of it into docs/reliability.md. Exits 1 when anything is not as it must be.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { withSection } from '../support/page-section.ts';
import {
  count,
  describeFaults,
  describeMutant,
  describeSearch,
  describeStory,
  mutantHead,
  rule,
  searchHead,
} from './report-searches.ts';
import type { Limits } from './search/explore.ts';
import { faultOf, mutants, type Searched, searches, stepsToBreak } from './searches.ts';
import { untakenTransitions } from './writes/lease-writes.ts';

const args = process.argv.slice(2);
const tellsStories = args.includes('--stories');
const wanted = args.find((arg) => !arg.startsWith('--')) ?? '';
const isWanted = (row: { readonly model: string }) => Object.values(row).join(' ').includes(wanted);

const chosen = { searches: searches.filter(isWanted), mutants: mutants.filter(isWanted) };
const total = chosen.searches.length + chosen.mutants.length;
const done = { rows: 0, states: 0, faults: 0 };
const taken = new Set<string>();
const printed: string[] = [];

print(searchHead, rule);
for (const search of chosen.searches) {
  const found = run(search.search, `${search.model}, ${search.scope}`, {});
  for (const transition of found.taken) taken.add(transition);
  print(describeSearch(search, found), ...describeFaults(search, found));
  if (faultOf(search, found) !== undefined) done.faults += 1;
  done.states += found.states;
}

print('', mutantHead, rule);
for (const mutant of chosen.mutants) {
  const stopAt = mutant.breaks === 'stuck' ? undefined : mutant.breaks;
  const found = run(mutant.search, `${mutant.model} without: ${mutant.leftOut}`, { stopAt });
  print(describeMutant(mutant, found));
  const story = mutant.breaks === 'stuck' ? found.stuck?.story : found.broken.get(mutant.breaks);
  if (tellsStories && story !== undefined) print(describeStory(`without: ${mutant.leftOut}`, story));
  if (stepsToBreak(mutant, found) === undefined) done.faults += 1;
}

const untaken = wanted === '' ? untakenTransitions(taken) : [];
for (const transition of untaken) print(`No search ever took the transition ${transition}.`);
print('', `${count(done.states)} states searched, ${done.faults + untaken.length} rows not as they must be.`);
if (args.includes('--write') && wanted === '') writePage();
process.exitCode = done.faults + untaken.length === 0 ? 0 : 1;

function run(search: (limits: Limits) => Searched, name: string, limits: Limits): Searched {
  done.rows += 1;
  const show = (states: number, transitions: number) =>
    showProgress(
      `${done.rows} of ${total}  ${count(states)} states, ${count(transitions)} transitions  ${name}`,
    );
  show(0, 0);
  const found = search({ ...limits, onProgress: show });
  showProgress('');
  return found;
}

/** One line that is written over, where somebody watches. */
function showProgress(line: string) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${line.slice(0, process.stderr.columns - 1)}`);
}

function print(...lines: readonly string[]) {
  for (const line of lines) {
    process.stdout.write(`${line}\n`);
    printed.push(line);
  }
}

function writePage() {
  const page = fileURLToPath(new URL('../../docs/reliability.md', import.meta.url));
  const text = printed.map((line) => line.replace(/ +\|/g, ' |')).join('\n');
  writeFileSync(page, withSection(readFileSync(page, 'utf8'), 'npm run explore -- --write', text));
}
