import type { Issue } from './issue.ts';

/** The longest description that a turn's record keeps, in UTF-8 bytes: a record must fit into one item of the store. */
export const longestDescriptionBytes = 200 * 1024;

/** The issue as a turn will work on it: its text at the claim, cut where it is longer than a record can hold. */
export function freezeIssue(issue: Issue): Issue {
  const bytes = new TextEncoder().encode(issue.description);
  if (bytes.length <= longestDescriptionBytes) return issue;
  // A cut inside a character leaves replacement characters, which say nothing.
  const kept = new TextDecoder().decode(bytes.slice(0, longestDescriptionBytes)).replace(/\uFFFD+$/, '');
  return { ...issue, description: `${kept}\n\n(The issue's text is longer; it was cut here.)` };
}
