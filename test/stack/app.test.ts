import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { deployableWorkflow } from '../support/stack-world.ts';

/** Runs the app as `cdk synth` does: without an account, a network or Docker. */
function synth(context: Record<string, string>) {
  const out = mkdtempSync(join(tmpdir(), 'evenkeel-synth-'));
  const env = {
    PATH: process.env.PATH,
    CDK_OUTDIR: out,
    CDK_CONTEXT_JSON: JSON.stringify({ ...deployed.context, ...context }),
    // Takes long; test/long has it done.
    CDK_VALIDATION: 'false',
  };
  return new Promise<{ code: number; stderr: string; out: string }>((resolve) => {
    execFile(process.execPath, ['--import', 'tsx', 'bin/app.ts'], { env }, (error, _, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stderr, out }),
    );
  });
}

const deployed = JSON.parse(readFileSync('cdk.json', 'utf8')) as { readonly context: object };
const workflowFile = (text: string): string => {
  const file = join(mkdtempSync(join(tmpdir(), 'evenkeel-workflow-')), 'WORKFLOW.md');
  writeFileSync(file, text);
  return file;
};

describe('cdk synth', () => {
  test('needs no context: it takes the example for labels of a GitHub repository', async () => {
    const { code, stderr, out } = await synth({});
    expect({ code, stderr: stderr.replaceAll(/^Bundling asset .*\n/gm, '') }).toEqual({
      code: 0,
      stderr: '',
    });
    const template = JSON.parse(readFileSync(join(out, 'evenkeel.template.json'), 'utf8'));
    expect(Object.keys(template.Outputs).sort()).toEqual([
      'AlarmTopic',
      'ClusterArn',
      'Dashboard',
      'SecretName',
      'TableName',
      'TaskDefinition',
      'TickFunction',
      'TickLogs',
      'TurnApiLogs',
      'TurnEndLogs',
      'TurnLogs',
      'WebhookLogs',
      'WebhookUrlgithub',
      'WorkBucket',
    ]);
    expect(boardsIn(out)).toEqual(['acme/web']);
  });

  test('says what is missing where an existing network cannot be looked up', async () => {
    const { code, stderr } = await synth({ network: 'vpc-12345678' });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The network vpc-12345678 has to be looked up in its account.*AWS_PROFILE/);
  });

  test('deploys the workflow files that are named, under the name that is given', async () => {
    const file = workflowFile(deployableWorkflow({ tracker: { project: 'acme/shop' } }).text);
    const { code, out } = await synth({ workflows: file, stack: 'shop' });
    expect(code).toBe(0);
    expect(readFileSync(join(out, 'shop.template.json'), 'utf8')).toContain('"EVENKEEL_DEPLOYMENT": "shop"');
    expect(boardsIn(out)).toEqual(['acme/shop']);
  });

  test.each([
    [
      'a workflow file that breaks its contract',
      { workflows: workflowFile(deployableWorkflow({ tracker: { handoff_state: 'todo' } }).text) },
      'handoff-not-active at tracker.handoff_state: ',
    ],
    [
      'a workflow file that is not there',
      { workflows: 'missing.md' },
      'The workflow file missing.md cannot be',
    ],
  ])('fails for %s with what to mend, and nothing else', async (_, context, message) => {
    const { code, stderr } = await synth(context);
    expect(code).toBe(1);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^ +at /m);
  });
});

/** The boards that lie beside the code of the three functions that serve them. */
function boardsIn(out: string): readonly string[] {
  const found = readdirSync(out)
    .map((asset) => join(out, asset, 'workflows.json'))
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, 'utf8'));
  expect(found).toHaveLength(3);
  expect(new Set(found).size).toBe(1);
  return JSON.parse(found[0] ?? '[]').map(({ tracker }: { tracker: { project: string } }) => tracker.project);
}
