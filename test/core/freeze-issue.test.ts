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
  const kept = `x${'🚢'.repeat(longestDescriptionBytes / 4 - 1)}`;
  expect(description === `${kept}\n\n(The issue's text is longer; it was cut here.)`).toBe(true);
});
