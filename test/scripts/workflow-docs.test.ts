import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseWorkflow } from '../../lib/core/workflow.ts';
import { workflowSchema } from '../../lib/core/workflow-schema.ts';
import { readSelfReport } from '../../lib/turn/self-report.ts';
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
  expect(parseWorkflow(example, 'WORKFLOW.md')).toMatchObject({
    workflow: { tracker: { kind: 'local' }, agent: { kind: 'command', command: expect.any(String) } },
  });
});

test('the reports that docs/workflow.md shows are taken', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'docs-'));
  try {
    const path = join(folder, 'result.json');
    const reports = [];
    for (const [, text = ''] of written.matchAll(/^echo '(.*)' > "\$EVENKEEL_RESULT_FILE"$/gm)) {
      writeFileSync(path, text);
      reports.push(await readSelfReport(path));
    }
    expect(reports).toEqual([
      { question: 'Which of the two colours?' },
      { usage: { usd: 0.42, tokens: 1234 } },
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
