import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { mutants } from './all-mutants.ts';
import { rareMutants } from './board-mutants.ts';
import { namesOnPage } from './hunt-table.ts';
import { applyPatches } from './mutant.ts';

const read = (path: string) =>
  readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8');

test.each([...mutants, ...rareMutants].map((mutant) => [mutant.name, mutant] as const))(
  'the rule can still be taken out: %s',
  (_, mutant) => {
    for (const file of new Set(mutant.patches.map((patch) => patch.file))) {
      const source = read(file);
      expect(applyPatches(mutant, file, source)).not.toBe(source);
    }
  },
);

test('docs/reliability.md tells of at least 25 rules how soon each is missed, and of none that is no more', () => {
  const names = namesOnPage(read('docs/reliability.md'));
  expect(names.length).toBeGreaterThanOrEqual(25);
  expect(mutants.map(({ name }) => name)).toEqual(expect.arrayContaining([...names]));
});
