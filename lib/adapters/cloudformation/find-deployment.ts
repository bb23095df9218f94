import {
  CloudFormationClient,
  DescribeStacksCommand,
  GetTemplateCommand,
} from '@aws-sdk/client-cloudformation';
import { type Deployment, readDeployment, readVersion } from './deployment-facts.ts';

export type FoundDeployment =
  | { readonly kind: 'found'; readonly deployment: Deployment }
  /** The service's own word: there is no stack of this name in this account and region. */
  | { readonly kind: 'missing' }
  | { readonly kind: 'other-version'; readonly version: string }
  /** A stack that holds no deployment, or does not describe it as this version does. `status` is the stack's own. */
  | { readonly kind: 'unfit'; readonly status: string; readonly problems: readonly string[] };

/**
 * What the stack of this name says of the deployment in it, for a program of this version. Throws when the service does
 * not answer, or refuses to.
 */
export async function findDeployment(
  client: CloudFormationClient,
  stack: string,
  version: string,
): Promise<FoundDeployment> {
  const found = await describeStack(client, stack);
  if (found === undefined) return { kind: 'missing' };
  const outputs = Object.fromEntries(
    (found.Outputs ?? []).map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]),
  );
  const metadata = await readMetadata(client, stack);
  const deployed = readVersion(metadata);
  if (deployed !== undefined && deployed !== version) return { kind: 'other-version', version: deployed };
  const read = readDeployment(outputs, metadata);
  if ('deployment' in read) return { kind: 'found', deployment: read.deployment };
  return { kind: 'unfit', status: found.StackStatus ?? 'unknown', problems: read.problems };
}

/** Where the service is, and as who it is asked; by default as the environment says. */
export function cloudformationClient(place: { readonly region?: string; readonly profile?: string }) {
  return new CloudFormationClient({ ...place, maxAttempts: 3 });
}

async function describeStack(client: CloudFormationClient, stack: string) {
  try {
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stack }));
    return Stacks?.[0];
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** The service has no error of its own for it. */
function isMissing(error: unknown): boolean {
  const { name, message } = error as Error;
  return name === 'ValidationError' && /does not exist/.test(message);
}

async function readMetadata(client: CloudFormationClient, stack: string): Promise<unknown> {
  const { TemplateBody } = await client.send(new GetTemplateCommand({ StackName: stack }));
  try {
    const { Metadata } = JSON.parse(TemplateBody ?? '') as { readonly Metadata?: unknown };
    return Metadata;
  } catch {
    // Written in YAML, so that no program of ours wrote it.
    return undefined;
  }
}
