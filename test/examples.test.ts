import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { renderPrompt } from '../lib/core/prompt.ts';
import { parseWorkflow, type Workflow } from '../lib/core/workflow.ts';
import { buildIssue } from './support/build-issue.ts';

const folder = new URL('../examples/', import.meta.url);
const names = readdirSync(folder).filter((name) => name.endsWith('.md'));

function read(name: string): Workflow {
  const answer = parseWorkflow(readFileSync(new URL(name, folder), 'utf8'), name);
  if ('problems' in answer) throw new Error(answer.problems.map(({ message }) => message).join('\n'));
  return answer.workflow;
}

test.each(names)('the example %s is a workflow, and its prompt renders on every turn', (name) => {
  const workflow = read(name);
  const bare = buildIssue({ title: 'A title', description: 'A text.', labels: [] });
  const full = buildIssue({
    title: 'A title',
    description: 'A text.',
    labels: ['bug'],
    url: 'https://example.org',
    priority: 1,
  });
  for (const issue of [bare, full]) {
    for (const [attempt, feedback] of [
      [1, undefined],
      [2, 'A gate failed.'],
    ] as const) {
      const answer = renderPrompt(workflow, issue, attempt, feedback);
      const prompt = 'prompt' in answer ? answer.prompt : answer.problem;
      for (const part of ['A title', 'A text.', feedback ?? '']) expect(prompt).toContain(part);
    }
  }
});

test('there is an example for every kind of board', () => {
  expect(names.map((name) => read(name).tracker.kind).toSorted()).toEqual([
    'github',
    'github-project',
    'linear',
    'local',
  ]);
});
