import { expect, test } from 'vitest';
import { chooseFirstSeed, comparePairs } from './interference/compare-pairs.ts';
import { leaks } from './interference/leaks.ts';

// What people write decides nothing: worlds that differ in nothing else make the same calls, at the same moments.
const seed = chooseFirstSeed();

test('two worlds with other titles and bodies make the same calls', async () => {
  const { differences, lines } = await comparePairs({ from: seed, count: 12 });
  expect(differences).toEqual([]);
  expect(lines).toBeGreaterThan(1_000);
});

// One of them in every run, all of them in the long one.
const leak = leaks[seed % leaks.length]!;
test(`a leak would be seen: ${leak.name}`, async () => {
  const { differences } = await comparePairs({ from: 1, count: 60, leak, enough: 1 });
  expect(differences).toHaveLength(1);
});
