/**
 * What each function is told by its deployment: environment variables, files beside its bundle, and the names of what it
 * measures. The stack checks what it sets against these types (`satisfies`); the functions parse it when they start, and
 * a variable that is missing, unfit or unknown is named.
 */
import * as z from 'zod';
import type { Workflow } from '../lib/core/workflow.ts';

const name = z.string().min(1);
const listOf = (what: z.ZodString) =>
  z
    .string()
    .transform((text) => text.split(',').map((one) => one.trim()))
    .pipe(z.array(what).min(1));
const count = z
  .string()
  .regex(/^\d{1,6}$/, 'a whole number, 0 or more')
  .transform(Number);

const ledger = {
  /** The name of the ledger's table. */
  EVENKEEL_TABLE: name,
  /** ARN or name of the one secret of the deployment; its value is JSON. */
  EVENKEEL_SECRET: name,
};

const trigger = {
  /** Name or ARN of the event bus on which early ticks are asked for, with `source` {@link TickEventSource}. */
  EVENKEEL_EVENT_BUS: name,
};

const cluster = {
  /** ARN of the cluster in which turns run, and nothing else. */
  EVENKEEL_CLUSTER: z
    .string()
    .regex(/^arn:[^:]+:ecs:[^:]+:\d{12}:cluster\/[A-Za-z0-9_-]{1,255}$/, 'the ARN of a cluster'),
};

const launch = {
  /** ARN of the task definition with its revision; its family is this deployment's own. */
  EVENKEEL_TASK_DEFINITION: z
    .string()
    .regex(
      /^arn:[^:]+:ecs:[^:]+:\d{12}:task-definition\/[A-Za-z0-9_-]{1,255}:\d+$/,
      'the ARN of a task definition with its revision',
    ),
  /** The name of the container that runs the turn program. */
  EVENKEEL_CONTAINER: name,
  /** Ids of subnets, separated by commas; at most 16. */
  EVENKEEL_SUBNETS: listOf(z.string().regex(/^subnet-/, 'the id of a subnet')),
  /** Ids of security groups, separated by commas; at most 5. */
  EVENKEEL_SECURITY_GROUPS: listOf(z.string().regex(/^sg-/, 'the id of a security group')),
  /** Whether tasks need a public address to reach the internet. */
  EVENKEEL_PUBLIC_IP: z.enum(['ENABLED', 'DISABLED']),
};

/** The name under which the deployment's metrics and log lines are told from those of another one: the stack's. */
const deployment = { EVENKEEL_DEPLOYMENT: name };

export const reconcileEnvironmentSchema = z.strictObject({
  ...deployment,
  ...ledger,
  ...trigger,
  ...cluster,
  ...launch,
  /** Turns at once over all boards. */
  EVENKEEL_MAX_CONCURRENT_AGENTS: count,
});
export const turnEndEnvironmentSchema = z.strictObject({ ...ledger, ...trigger, ...cluster });
export const turnApiEnvironmentSchema = z.strictObject({
  ...ledger,
  /** The name of the bucket that keeps commits which could be put on no branch. */
  EVENKEEL_WORK_BUCKET: name,
});
export const webhookEnvironmentSchema = z.strictObject({ ...ledger, ...trigger });

/** The variables as the tick reads them. */
export type ReconcileValues = z.output<typeof reconcileEnvironmentSchema>;

/** Reads what the deployment set. Throws an error that names every variable that is missing, unfit or unknown. */
export function readEnvironment<Values>(
  schema: z.ZodType<Values>,
  env: Readonly<Record<string, string | undefined>>,
): Values {
  const own = Object.fromEntries(Object.entries(env).filter(([key]) => key.startsWith('EVENKEEL_')));
  const parsed = schema.safeParse(own);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join('.')}: ${message}`,
  );
  throw new Error(
    `The function's environment does not fit this version: ${problems.join('; ')}. Deploy again.`,
  );
}

/** The variables as a deployment sets them: texts, every one needed. */
export type ReconcileEnvironment = z.input<typeof reconcileEnvironmentSchema>;
export type TurnEndEnvironment = z.input<typeof turnEndEnvironmentSchema>;
export type TurnApiEnvironment = z.input<typeof turnApiEnvironmentSchema>;
export type WebhookEnvironment = z.input<typeof webhookEnvironmentSchema>;

/**
 * What the task definition's container gets from the deployment. The runner adds `EVENKEEL_TURN_ID`, `EVENKEEL_TICKET` and
 * `EVENKEEL_TASK` to each task. The container's command reads the program from `GET <turn API>/turns/<turnId>/program` with
 * the ticket as bearer, and runs it only if its SHA-256 is the one named here.
 */
export interface TurnContainerEnvironment {
  /** The https address of the turn API, without a slash at its end. */
  readonly EVENKEEL_TURN_API: string;
  /** SHA-256 of the bundled turn program's bytes, 64 hex digits. */
  readonly EVENKEEL_TURN_PROGRAM_SHA256: string;
  /** Whether what agents, hooks and gates print goes to the log of turns. */
  readonly EVENKEEL_OUTPUT: 'logs' | 'none';
  /** The uid that the agent has, not 0. */
  readonly EVENKEEL_AGENT_UID: string;
}

/**
 * Files that lie beside the bundle: `workflows.json`, the workflows as `parseWorkflow` answers them, for reconcile, turn-end
 * and turn-api; `turn.mjs`, the bundled turn program, for turn-api.
 */
export type BundledFile = 'workflows.json' | 'turn.mjs';
export type BundledWorkflows = readonly Workflow[];

/** `source` and `detail-type` of the event that asks for an early tick: what the rule on the bus must match. */
export type TickEventSource = 'evenkeel';
export type TickEventDetailType = 'Tick Requested';

/**
 * Everything that ticks measure, in the namespace `Evenkeel` with the one dimension `service`, which is
 * `EVENKEEL_DEPLOYMENT`. Each further name or value of a dimension is billed by itself.
 */
export type MeasureName =
  /** 1 for each tick that did everything; absent means that none did. */
  | 'TicksCompleted'
  /** Boards whose workflow file and states do not agree. */
  | 'ContractInvalid'
  /** Leases that hold a slot. */
  | 'RunningTurns'
  /** Issues that are held until a person moves them. */
  | 'ParkedIssues'
  /** Leases that are not let go long after they should have been. */
  | 'StuckLeases'
  /** Ticks that used up their moves on the board. */
  | 'WriteLimitHits'
  /** Boards on which reads are skipped to spare the tracker's quota. */
  | 'QuotaLow'
  /** Boards on which launches wait because they would fail. */
  | 'BreakersOpen';
