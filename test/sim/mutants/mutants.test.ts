import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { mutants } from './all-mutants.ts';
import { applyPatches } from './mutant.ts';

const read = (path: string) =>
  readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8');

test.each(mutants.map((mutant) => [mutant.name, mutant] as const))(
  'the rule can still be taken out: %s',
  (_, mutant) => {
    for (const file of new Set(mutant.patches.map((patch) => patch.file))) {
      const source = read(file);
      expect(applyPatches(mutant, file, source)).not.toBe(source);
    }
  },
);
