import { describe, expect, test } from 'vitest';
import { faultOf, mutants, searches, stepsToBreak } from './searches.ts';

describe('the promises of the protocol hold in a small world of', () => {
  const quick = searches.filter(({ isQuick }) => isQuick);

  test.each(quick.map((search) => [`${search.model}: ${search.scope}`, search]))('%s', (_, search) => {
    const found = search.search({});
    expect(faultOf(search, found)).toBeUndefined();
    expect(found.states).toBeGreaterThan(10_000);
  });
});

describe('a search sees that the protocol needs the rule of', () => {
  const quick = mutants.filter(({ isLong }) => !isLong);

  test.each(quick.map((mutant) => [`${mutant.model}: ${mutant.leftOut}`, mutant]))('%s', (_, mutant) => {
    const found = mutant.search({ stopAt: mutant.breaks });
    expect([...found.broken.keys(), found.stuck === undefined ? '' : 'stuck']).toContain(mutant.breaks);
    expect(stepsToBreak(mutant, found)).toBeGreaterThan(2);
  });
});
