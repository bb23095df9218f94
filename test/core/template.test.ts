import { expect, test } from 'vitest';
import { describeParseFault, describeRenderFault } from '../../lib/core/template.ts';

test('a fault of the engine itself is told without what it says about values', () => {
  expect(describeRenderFault(new RangeError('SECRET'), [])).toBe('the template engine failed');
});

test('a fault of the engine while it parses is told in its own words, which hold the template alone', () => {
  expect(describeParseFault(new RangeError('Maximum call stack size exceeded'), 3)).toBe(
    'Maximum call stack size exceeded',
  );
});
