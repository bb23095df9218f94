import { expect, test } from 'vitest';
import { freezeIssue, longestDescriptionBytes } from '../../lib/core/freeze-issue.ts';
import { buildIssue } from '../support/build-issue.ts';

test('an issue of ordinary length is frozen as it is', () => {
  const issue = buildIssue({ description: 'x'.repeat(longestDescriptionBytes) });
  expect(freezeIssue(issue)).toBe(issue);
});

test('a longer text is cut between characters, and says so', () => {
  const { description } = freezeIssue(
    buildIssue({ description: `x${'🚢'.repeat(longestDescriptionBytes / 4)}` }),
  );
  expect(new TextEncoder().encode(description).length).toBeLessThan(longestDescriptionBytes + 100);
  expect(description.startsWith('x🚢')).toBe(true);
  expect(description).toContain('it was cut here');
  expect(description).not.toContain('\uFFFD');
});
