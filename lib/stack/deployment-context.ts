import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as z from 'zod';
import { nearestName } from '../core/nearest-name.ts';
import { agentUidRule, isAgentUid } from './agent-uid.ts';
import { DeploymentProblem } from './deployment-problem.ts';

/** Values come as text from `-c key=value`, and as JSON from cdk.json. */
const count = z
  .union([z.number(), z.string().regex(/^\d+$/).transform(Number)], 'must be a whole number, 0 or more')
  .pipe(z.number().int().min(0).max(1_000));
const uid = z
  .union([z.number(), z.string().regex(/^\d+$/).transform(Number)], agentUidRule)
  .refine(isAgentUid, agentUidRule);
const paths = z
  .union([z.string().transform((text) => text.split(',')), z.array(z.string())])
  .transform((list) => list.map((path) => path.trim()).filter((path) => path !== ''))
  .pipe(z.array(z.string()).min(1, 'must name at least one workflow file'));
const retention = count.refine(
  (days) => days in RetentionDays,
  `must be one of the numbers of days that CloudWatch has: ${Object.values(RetentionDays)
    .filter((days) => typeof days === 'number' && days < 9_999)
    .join(', ')}`,
);

const contextSchema = z.object({
  /** Paths of workflow files, separated by commas; by default the example for labels of a GitHub repository. */
  workflows: paths.optional(),
  /** The stack's name: one for each deployment of an account and region. */
  stack: z
    .string()
    .regex(
      /^[A-Za-z][A-Za-z0-9-]{0,63}$/,
      'must begin with a letter, and have letters, digits and hyphens only',
    )
    .default('evenkeel'),
  maxConcurrentAgents: count.optional(),
  network: z
    .string()
    .regex(/^(public|nat|vpc-[0-9a-f]{8,17})$/, 'must be public, nat, or the id of a VPC')
    .default('public'),
  image: z.string().min(1, 'must be the name of a container image').optional(),
  architecture: z.enum(['arm64', 'x86_64'], 'must be arm64 or x86_64').optional(),
  agentUid: uid.optional(),
  secret: z.string().min(1, 'must be the name of a secret').optional(),
  table: z
    .string()
    .regex(/^[\w.-]{3,255}$/, 'must be the name of a table')
    .optional(),
  alarmEmail: z.email('must be an e-mail address').optional(),
  turnOutput: z.enum(['logs', 'none'], 'must be logs or none').optional(),
  logRetentionDays: retention.optional(),
});

export const contextKeys = Object.keys(contextSchema.shape);

/** What a deployment is, apart from its policy. */
export type DeploymentContext = z.output<typeof contextSchema>;

/**
 * Reads the CDK's context. Throws one error that names every key at fault. Keys of the CDK and of other constructs are
 * left alone, except for one that is so near to a key of ours that it was probably meant.
 */
export function readContext(all: Readonly<Record<string, unknown>>): DeploymentContext {
  const problems: string[] = [];
  for (const key of Object.keys(all)) {
    const meant = contextKeys.includes(key) || /[:@/]/.test(key) ? undefined : nearestName(key, contextKeys);
    if (meant !== undefined) problems.push(`${key} is no key; ${meant} is`);
  }
  const parsed = contextSchema.safeParse(all);
  for (const { path, message } of parsed.error?.issues ?? []) problems.push(`${path.join('.')} ${message}`);
  if (!parsed.success || problems.length > 0)
    throw new DeploymentProblem(`The context of the deployment is wrong: ${problems.join('; ')}.`);
  return parsed.data;
}
