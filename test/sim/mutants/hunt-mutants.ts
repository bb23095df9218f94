import { parseArgs } from 'node:util';
import { mutants } from './all-mutants.ts';
import { huntMutant } from './hunt.ts';

/** Hunts every mutant and prints the table for docs/reliability.md. `--only NAME` hunts one. */
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    blocks: { type: 'string', default: '5' },
    seeds: { type: 'string', default: '400' },
    from: { type: 'string', default: '1' },
    threads: { type: 'string' },
  },
});

const chosen = mutants.filter(({ name }) => values.only === undefined || name.includes(values.only));
let survivors = 0;
console.log('| rule removed | first invariant to fire | seeds to kill, by block | median |');
console.log('|---|---|---|---|');
for (const mutant of chosen) {
  const hunt = await huntMutant(mutant, {
    from: Number(values.from),
    blocks: Number(values.blocks),
    seedsPerBlock: Number(values.seeds),
    threads: values.threads === undefined ? undefined : Number(values.threads),
  });
  const killed = hunt.kills.filter((kill) => kill !== undefined).sort((a, b) => a - b);
  const median =
    killed.length > hunt.kills.length / 2 ? killed[Math.floor(hunt.kills.length / 2)] : undefined;
  if (killed.length === 0) survivors += 1;
  const blocks = hunt.kills.map((kill) => kill ?? `>${values.seeds}`).join(', ');
  console.log(`| ${mutant.name} | ${hunt.rules.join(', ') || 'none'} | ${blocks} | ${median ?? '–'} |`);
}
process.exitCode = survivors > 0 ? 1 : 0;
