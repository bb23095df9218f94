import { describe, expect, test } from 'vitest';
import { nearestName } from '../../lib/core/nearest-name.ts';

describe('the nearest name', () => {
  test.each([
    ['max_concurent_agents', ['max_turns', 'max_concurrent_agents'], 'max_concurrent_agents'],
    ['In Revew', ['Todo', 'In Progress', 'In Review', 'Done'], 'In Review'],
    ['DONE ', ['Todo', 'Done'], 'Done'],
    ['kitten', ['sitting'], 'sitting'],
    ['  a', ['  b', 'a'], 'a'],
    ['ab', ['cd', 'ac'], 'ac'],
    // Equally near: the first.
    ['abc', ['abd', 'abe'], 'abd'],
    ['abc', ['abe', 'abd'], 'abe'],
    // The later, nearer one wins over an earlier, farther one.
    ['active', ['activities', 'actives'], 'actives'],
    // Exactly half of the longer name differs.
    ['abcd', ['abxy'], 'abxy'],
    ['ab', ['abcd'], 'abcd'],
    ['abcd', ['ab'], 'ab'],
    ['todo', ['ödot', 'Tódo'], 'Tódo'],
  ])('to %j among %j is %j', (name, known, nearest) => {
    expect(nearestName(name, known)).toBe(nearest);
  });

  test.each([
    ['abcd', ['axyz']],
    ['ab', ['abcde']],
    ['foo', ['tracker', 'agent']],
    ['foo', []],
  ])('to %j is none of %j', (name, known) => {
    expect(nearestName(name, known)).toBeUndefined();
  });
});
