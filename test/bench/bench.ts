/**
 * `npm run bench`, or `npm run bench -- NAME…` for some. Absolute times belong to the machine at that moment; what may be
 * compared between runs and machines are the ratios, which are taken within one run.
 */
import { benchColdImport } from './cold-import.ts';
import { benchGitHubTick } from './github-tick.ts';
import { benchIdleMemory } from './idle-memory.ts';
import { benchIdleTick } from './idle-tick.ts';
import { benchPlanGrowth } from './plan-growth.ts';

const benches: Readonly<Record<string, () => Promise<void> | void>> = {
  'plan-growth': benchPlanGrowth,
  'idle-tick': benchIdleTick,
  'github-tick': () => benchGitHubTick(),
  'idle-memory': benchIdleMemory,
  'cold-import': benchColdImport,
};
const named = process.argv.slice(2);
const unknown = named.find((name) => benches[name] === undefined);
if (unknown !== undefined)
  throw new Error(`There is no bench ${unknown}; there are ${Object.keys(benches).join(', ')}.`);
for (const [name, bench] of Object.entries(benches))
  if (named.length === 0 || named.includes(name)) await bench();
