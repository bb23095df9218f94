import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTick, putTickClosed } from '../../lib/core/tick-writes.ts';
import { parseWorkflow } from '../../lib/core/workflow.ts';
import { type TestDeployment, testDeployment } from '../support/aws/deployment.ts';
import { type LabelWorld, makeLabelWorld } from '../support/github/label-world.ts';

// The bundles as they are deployed, and a board at a GitHub server.
let github: LabelWorld;
let deployment: TestDeployment;
beforeEach(async () => {
  github = await makeLabelWorld();
  const parsed = parseWorkflow(workflowAt(github.server.endpoint), 'WORKFLOW.md');
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  deployment = await testDeployment({ workflows: [parsed.workflow] });
  await deployment.ledger.changeTick(putTickClosed('gen'));
  await deployment.ledger.changeTick(openTick('gen'));
});
afterEach(async () => {
  await deployment.dispose();
  await github.dispose();
});

const workflowAt = (endpoint: string) => `---
tracker:
  kind: github
  project: acme/web
  endpoint: ${endpoint}
  active_states: [todo, in progress]
  in_progress_state: in progress
  handoff_state: in review
  terminal_states: [done]
agent:
  kind: command
  command: work
---
Work on {{ issue.key }}.
`;
const everyMinute = { 'detail-type': 'Scheduled Event' };

test('the bundled tick starts what a person moved to an active label, and tells the task nothing of its text', async () => {
  deployment.secret.githubToken = github.server.token;
  const id = await github.add({ title: 'A text of the issue', state: undefined } as never);
  await github.move(id, 'Todo' as never);
  const { answered, text } = await deployment.run('reconcile', [everyMinute]);
  expect(answered).toEqual([{ answer: 'done' }]);
  expect(await github.stateOf(id)).toBe('In Progress');
  const [task] = deployment.containers.world.all();
  expect(JSON.stringify(task?.input)).not.toContain('A text');
  expect(text).not.toMatch(/A text|ghp_/);
  expect(await deployment.ledger.leases('gen')).toMatchObject([
    { board: expect.stringMatching(/^github:127\.0\.0\.1:\d+\/acme\/web$/), phase: 'launching' },
  ]);
});

test('without a token the bundled tick starts nothing, and measures the contract invalid', async () => {
  const { answered, logged, text } = await deployment.run('reconcile', [everyMinute]);
  expect(answered).toEqual([{ answer: 'done' }]);
  expect(deployment.containers.world.all()).toEqual([]);
  expect(text).toContain('contract-invalid');
  expect(logged.find((line) => '_aws' in line)).toMatchObject({ ContractInvalid: 1 });
});

test('a bundled tick whose function has no time left starts nothing and says so; the next one starts it', async () => {
  deployment.secret.githubToken = github.server.token;
  const id = await github.add({ title: 'One', state: undefined } as never);
  await github.move(id, 'Todo' as never);
  // What is kept for coming to an end, and nothing more.
  const late = await deployment.run('reconcile', [everyMinute], { TEST_TIMEOUT_MS: '12000' });
  expect(deployment.containers.world.all()).toEqual([]);
  expect(await deployment.ledger.leases('gen')).toEqual([]);
  expect(await github.stateOf(id)).toBe('Todo');
  expect(late.answered).toEqual([{ answer: 'done' }]);
  expect(late.logged.find(({ fact }) => fact === 'tick-ended')).toMatchObject({ waits: ['time 1'] });
  await deployment.run('reconcile', [everyMinute]);
  expect(deployment.containers.world.all()).toHaveLength(1);
});

test('a bundled tick that could not do everything says what, and tells nothing of the issues that it looked at', async () => {
  deployment.secret.githubToken = github.server.token;
  const ids = [];
  for (const title of ['A text of one issue', 'A text of another']) {
    ids.push(await github.add({ title, description: 'A text that is long', state: undefined } as never));
    await github.move(ids.at(-1)!, 'Todo' as never);
    await deployment.run('reconcile', [everyMinute]);
    const task = deployment.containers.world.all().at(-1)!;
    const { startedBy: turnId } = task.input as { startedBy: string };
    const bearer = createHmac('sha256', 't'.repeat(64)).update(turnId).digest('base64url');
    const { answered } = await deployment.run('turn-api', [startOf(turnId, bearer, task.arn)]);
    expect(answered).toMatchObject([{ answer: { statusCode: 200 } }]);
  }
  await github.close(ids[0]!);
  deployment.containers.trouble('StopTask', 'broken', 'broken', 'broken', 'broken');
  const { answered, text } = await deployment.run('reconcile', [everyMinute]);
  expect(answered).toEqual([{ error: expect.stringMatching(/could not do everything: web#1: stop failed/) }]);
  expect(text).toContain('the invocation failed');
  expect(text).not.toMatch(/A text|ghp_/);
});

const startOf = (turnId: string, bearer: string, arn: string) => ({
  rawPath: `/turns/${turnId}/start`,
  requestContext: { http: { method: 'POST' } },
  headers: { authorization: `Bearer ${bearer}` },
  body: JSON.stringify({ arn, key: 'k'.repeat(43) }),
});
