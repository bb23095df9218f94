import { describe, expect, test } from 'vitest';
import { describeFaults } from '../model/report-searches.ts';
import { mutants, searches, stepsToBreak } from '../model/searches.ts';
import { untakenTransitions } from '../model/writes/lease-writes.ts';

const taken = new Set<string>();
let states = 0;

describe('the promises of the protocol hold in a small world of', () => {
  test.each(searches.map((search) => [`${search.model}: ${search.scope}`, search]))('%s', (_, search) => {
    const found = search.search({});
    states += found.states;
    for (const transition of found.taken) taken.add(transition);
    expect(describeFaults(search, found)).toEqual([]);
  });

  test('millions of states, in which every legal transition of a lease is taken', () => {
    expect(states).toBeGreaterThan(1_000_000);
    expect(untakenTransitions(taken)).toEqual([]);
  });
});

describe('a search sees that the protocol needs the rule of', () => {
  test.each(mutants.map((mutant) => [`${mutant.model}: ${mutant.leftOut}`, mutant]))('%s', (_, mutant) => {
    const found = mutant.search({ stopAt: mutant.breaks });
    expect(stepsToBreak(mutant, found)).toBeGreaterThan(0);
  });
});
