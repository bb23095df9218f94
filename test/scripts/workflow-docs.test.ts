import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseWorkflow } from '../../lib/core/workflow.ts';
import { workflowSchema } from '../../lib/core/workflow-schema.ts';
import { writeWorkflowDocs } from '../../scripts/workflow-docs.ts';

const written = readFileSync(new URL('../../docs/workflow.md', import.meta.url), 'utf8');

test('docs/workflow.md says what the schema says; after a change of the schema, run npm run docs', () => {
  expect(written).toBe(writeWorkflowDocs());
});

test('docs/workflow.md explains every key', () => {
  const shapes = [
    workflowSchema.shape,
    workflowSchema.shape.tracker.shape,
    workflowSchema.shape.agent.unwrap().shape,
  ];
  for (const key of shapes.flatMap((shape) => Object.keys(shape))) {
    expect(written).toMatch(
      new RegExp(`^(\\| \`${key}\` \\| .+ \\| .+ \\| .+ \\||## \`(agent\\.)?${key}\`)$`, 'm'),
    );
  }
});

test('the least workflow that docs/workflow.md shows is one', () => {
  const example = /```markdown\n(.*?)```/s.exec(written)?.[1] ?? '';
  expect(parseWorkflow(example, 'WORKFLOW.md')).toHaveProperty('workflow.tracker.kind', 'local');
});
