/** `npm run explore`: searches every small world of the lease protocol for a broken promise. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { listed, readOptions, refuse } from '../sim/read-options.ts';
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
import {
  faultOf,
  type Mutant,
  mutants,
  type Search,
  type Searched,
  searches,
  stepsToBreak,
} from './searches.ts';
import { untakenTransitions } from './writes/lease-writes.ts';

const usage = `npm run explore -- [TEXT] [--stories] [--write]
  Searches every small world of the lease protocol for a broken promise, then leaves its rules out one by one to show that the
  search would see it. Exits 1 when anything is not as it must be.
  TEXT       only rows that say this
  --stories  tell how each rule that is left out breaks what it is for
  --write    put the whole of it into docs/reliability.md; takes no TEXT`;

const { values, positionals } = readOptions({
  options: {
    stories: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
if (values.help) {
  console.log(usage);
  process.exit();
}
if (positionals.length > 1) refuse(`One TEXT, not ${positionals.length}: quote it if it has spaces.`);
const [wanted = ''] = positionals;
if (values.write && wanted !== '') refuse('--write puts every row on the page, and takes no TEXT.');

const nameOf = (row: Search | Mutant) =>
  'scope' in row ? `${row.model}, ${row.scope}` : `${row.model} without: ${row.leftOut}`;
const isWanted = (row: Search | Mutant) =>
  [nameOf(row), 'breaks' in row ? row.breaks : ''].some((text) => text.includes(wanted));
const chosen = { searches: searches.filter(isWanted), mutants: mutants.filter(isWanted) };
const total = chosen.searches.length + chosen.mutants.length;
if (total === 0)
  refuse(`No row says '${wanted}'. There are:\n${listed([...searches, ...mutants].map(nameOf))}`);

const done = { rows: 0, states: 0, faults: 0 };
const taken = new Set<string>();
const printed: string[] = [];

print(searchHead, rule);
for (const search of chosen.searches) {
  const found = run(search.search, nameOf(search), {});
  for (const transition of found.taken) taken.add(transition);
  print(describeSearch(search, found), ...describeFaults(search, found));
  if (faultOf(search, found) !== undefined) done.faults += 1;
  done.states += found.states;
}

print('', mutantHead, rule);
for (const mutant of chosen.mutants) {
  const stopAt = mutant.breaks === 'stuck' ? undefined : mutant.breaks;
  const found = run(mutant.search, nameOf(mutant), { stopAt });
  print(describeMutant(mutant, found));
  const story = mutant.breaks === 'stuck' ? found.stuck?.story : found.broken.get(mutant.breaks);
  if (values.stories && story !== undefined) print(describeStory(`without: ${mutant.leftOut}`, story));
  if (stepsToBreak(mutant, found) === undefined) done.faults += 1;
}

const untaken = wanted === '' ? untakenTransitions(taken) : [];
for (const transition of untaken) print(`No search ever took the transition ${transition}.`);
print('', `${count(done.states)} states searched, ${done.faults + untaken.length} rows not as they must be.`);
if (values.write) writePage();
process.exitCode = done.faults + untaken.length === 0 ? 0 : 1;

function run(search: (limits: Limits) => Searched, name: string, limits: Limits): Searched {
  done.rows += 1;
  const row = `${done.rows} of ${total}`;
  if (!process.stderr.isTTY) process.stderr.write(`${row}  ${name}\n`);
  const show = (states: number, transitions: number) =>
    showLive(`${row}  ${count(states)} states, ${count(transitions)} transitions  ${name}`);
  show(0, 0);
  const found = search({ ...limits, onProgress: show });
  showLive('');
  return found;
}

/** One line that is written over, on a terminal. */
function showLive(line: string) {
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
