import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App } from 'aws-cdk-lib';
import { readContext } from '../lib/stack/deployment-context.ts';
import { DeploymentProblem } from '../lib/stack/deployment-problem.ts';
import { EvenkeelStack } from '../lib/stack/evenkeel-stack.ts';
import type { WorkflowSource } from '../lib/stack/read-workflows.ts';

const example = fileURLToPath(new URL('../examples/github-labels.md', import.meta.url));

function main(): void {
  const app = new App();
  const context = readContext(app.node.getAllContext());
  // An existing network has to be looked up in an account; everything else is the same in all of them.
  const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env;
  const isLookedUp = context.network.startsWith('vpc-');
  if (isLookedUp && (account === undefined || region === undefined))
    throw new DeploymentProblem(
      `The network ${context.network} has to be looked up in its account, and there are no credentials for one, or no region: log in, set AWS_PROFILE or AWS_REGION, or give \`npx cdk\` a --profile.`,
    );
  const env = isLookedUp ? { env: { account, region } } : {};
  const workflows = (context.workflows ?? [example]).map(readSource);
  new EvenkeelStack(app, context.stack, { ...env, workflows, context });
  app.synth();
}

function readSource(path: string): WorkflowSource {
  const source = relative('.', path);
  try {
    return { source, text: readFileSync(path, 'utf8') };
  } catch (error) {
    throw new DeploymentProblem(`The workflow file ${source} cannot be read: ${(error as Error).message}`);
  }
}

try {
  main();
} catch (error) {
  if (!(error instanceof DeploymentProblem)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
