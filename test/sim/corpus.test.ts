import { expect, test } from 'vitest';
import { readCorpus } from './corpus.ts';
import { mutantNamed } from './mutants/all-mutants.ts';
import { runCase } from './run-case.ts';
import { withSimulator } from './with-simulator.ts';

const corpus = await readCorpus();

test.each(corpus.map((kept) => [kept.name, kept] as const))(
  'what broke once holds now: %s',
  async (_, kept) => {
    const { violation } = await runCase(kept.story);
    expect(violation).toBeUndefined();
  },
);

const mutated = corpus.filter(({ mutant }) => mutant !== undefined);

test.each(mutated.map((kept) => [kept.name, kept] as const))(
  'and it would break again: %s',
  async (_, kept) => {
    const { failed } = await withSimulator({ mutant: mutantNamed(kept.mutant!), threads: 1 }, (pool) =>
      pool.run({ kind: 'cases', cases: [kept.story] }),
    );
    expect(failed.map(({ violation }) => violation.rule)).toEqual([kept.rule]);
  },
);
