import * as z from 'zod';
import { frozenWorkflowSchema } from '../../core/frozen-workflow.ts';
import type { Workflow } from '../../core/workflow.ts';

/**
 * What a stack says of the deployment that it holds, for programs that look at it from outside. Nothing of it is secret:
 * whoever may read the stack may read it.
 */
const outputsSchema = z.object({
  /** The ledger's table. */
  TableName: z.string().min(1),
  /** Where turns run, and nothing else. */
  ClusterArn: z.string().min(1),
  /** ARN with its revision; its family is this deployment's own. */
  TaskDefinition: z.string().min(1),
  /** The log group of turns. */
  TurnLogs: z.string().min(1),
});

/** What has its value only once the stack is made. */
export type DeploymentOutputs = Readonly<z.input<typeof outputsSchema>>;

const factsSchema = z.object({
  /** Of evenkeel, as it was deployed. */
  version: z.string().min(1),
  /** Turns at once over all boards. */
  maxConcurrentAgents: z.int().min(0),
  /** The name of the container that runs the turn program. */
  container: z.string().min(1),
  /** A turn's log stream is called so, followed by the id of its task. */
  turnLogStreams: z.string().min(1),
  /** The names of its alarms. */
  alarms: z.array(z.string().min(1)).max(100),
  /** The workflows, as `parseWorkflow` answers them, as JSON in ASCII: the service keeps no other characters. */
  workflows: z.string(),
});

const metadataSchema = z.object({ Evenkeel: factsSchema });

/** What is known when the template is made, and stands in it. */
export type DeploymentMetadata = Readonly<z.input<typeof metadataSchema>>;

/** A deployment as its stack describes it. */
export type Deployment = DeploymentOutputs &
  Omit<DeploymentMetadata['Evenkeel'], 'workflows'> & { readonly workflows: readonly Workflow[] };

export type ReadDeployment = { readonly deployment: Deployment } | { readonly problems: readonly string[] };

/** Reads what a stack says, or names everything in it that is missing or unfit. */
export function readDeployment(outputs: unknown, metadata: unknown): ReadDeployment {
  const made = outputsSchema.safeParse(outputs);
  const told = metadataSchema.safeParse(metadata);
  const workflows = z.array(frozenWorkflowSchema).safeParse(parseJson(told.data?.Evenkeel.workflows));
  if (made.success && told.success && workflows.success)
    return { deployment: { ...made.data, ...told.data.Evenkeel, workflows: workflows.data } };
  return {
    problems: [
      ...namesOf('output', made.error),
      ...namesOf('metadata', told.error),
      ...(told.success ? namesOf('workflow', workflows.error) : []),
    ],
  };
}

/** Of evenkeel, where the template says it at all. */
export function readVersion(metadata: unknown): string | undefined {
  const told = z.object({ Evenkeel: factsSchema.pick({ version: true }) }).safeParse(metadata);
  return told.data?.Evenkeel.version;
}

function namesOf(what: string, error: z.ZodError | undefined): readonly string[] {
  return (error?.issues ?? []).map(({ path }) => `${what} ${path.join('.')}`.trim());
}

function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
