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

export const reconcileEnvironmentSchema = z.strictObject({
  ...ledger,
  ...trigger,
  ...cluster,
  ...launch,
  /** Turns at once over all boards. */
  EVENKEEL_MAX_CONCURRENT_AGENTS: count,
});
export const turnEndEnvironmentSchema = z.strictObject({ ...ledger, ...trigger, ...cluster });
export const turnApiEnvironmentSchema = z.strictObject({ ...ledger });
export const webhookEnvironmentSchema = z.strictObject({ ...ledger, ...trigger });

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
