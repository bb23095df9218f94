import { expect, test } from 'vitest';
import { describeMaking } from '../../../lib/cli/init/missing-states.ts';

test('labels are made with commands that a shell takes as they are meant', () => {
  expect(describeMaking('github', 'acme/web', undefined, ['todo', "agent's turn", '$(x)'])).toBe(
    [
      "The repository acme/web has no label 'todo', 'agent's turn', '$(x)' yet. Make them:",
      '  gh label create todo --repo acme/web',
      "  gh label create 'agent'\\''s turn' --repo acme/web",
      "  gh label create '$(x)' --repo acme/web",
    ].join('\n'),
  );
});

test('labels of another host are made there, not at its API', () => {
  const made = describeMaking('github', 'acme/web', 'https://api.acme.ghe.com', ['todo']);
  expect(made).toContain('--repo acme.ghe.com/acme/web');
});

test('columns are added where the board keeps them', () => {
  expect(describeMaking('github-project', 'acme/7', undefined, ['In Review'])).toMatch(
    /field Status, in the settings/,
  );
  expect(describeMaking('local', 'issues', undefined, ['A', 'B'])).toMatch(
    /Add them to `states` in its board\.yaml/,
  );
});
