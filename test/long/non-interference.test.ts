import { expect, test } from 'vitest';
import { chooseFirstSeed, comparePairs } from '../sim/interference/compare-pairs.ts';
import { leaks } from '../sim/interference/leaks.ts';

test('a thousand pairs of worlds with other titles and bodies make the same calls', async () => {
  const { differences, ...met } = await comparePairs({ from: chooseFirstSeed(), count: 1_000 });
  console.log(met);
  expect(differences).toEqual([]);
  expect(met.turns).toBeGreaterThan(1_000);
});

test.each(leaks)('a leak would be seen: $name', async (leak) => {
  const { differences } = await comparePairs({ from: 1, count: 60, leak, enough: 1 });
  expect(differences).toHaveLength(1);
});
