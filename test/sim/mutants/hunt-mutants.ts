/** `npm run hunt`: takes the rules of the protocol out one by one, and counts the worlds until the search notices. */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { mutants } from './all-mutants.ts';
import { type Hunt, huntMutant } from './hunt.ts';
import { describeHunt, huntHead, withHunts } from './hunt-table.ts';

const usage = `npm run hunt -- [--only TEXT] [--blocks N] [--seeds N] [--from S] [--threads N] [--write]
  --only     mutants whose name contains this
  --blocks   how often each mutant is hunted, with fresh seeds (default 5)
  --seeds    how many worlds each time at most (default 400)
  --from     the first seed (default 1)
  --threads  default: one per core
  --write    put the table into docs/reliability.md; rows of mutants that were not hunted stay`;

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    blocks: { type: 'string', default: '5' },
    seeds: { type: 'string', default: '400' },
    from: { type: 'string', default: '1' },
    threads: { type: 'string' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) console.log(usage);
else await hunt();

async function hunt(): Promise<void> {
  const hunts: Hunt[] = [];
  console.log(huntHead);
  for (const mutant of mutants.filter(({ name }) => name.includes(values.only))) {
    const found = await huntMutant(mutant, {
      from: Number(values.from),
      blocks: Number(values.blocks),
      seedsPerBlock: Number(values.seeds),
      threads: values.threads === undefined ? undefined : Number(values.threads),
    });
    hunts.push(found);
    console.log(describeHunt(found));
    if (found.median === undefined)
      console.error(`  see it: npm run sim -- --from ${values.from} --mutant '${mutant.name}'`);
  }
  const survivors = hunts.filter(({ kills }) => kills.every((kill) => kill === undefined));
  console.log(`${hunts.length} mutants, ${survivors.length} survived`);
  process.exitCode = survivors.length > 0 ? 1 : 0;
  if (!values.write) return;
  const page = fileURLToPath(new URL('../../../docs/reliability.md', import.meta.url));
  await writeFile(page, withHunts(await readFile(page, 'utf8'), hunts));
}
