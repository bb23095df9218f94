import * as z from 'zod';

const oneOrTwo = z
  .union([z.string().min(1), z.array(z.string().min(1)).min(1).max(2)])
  .transform((value) => (typeof value === 'string' ? [value] : value));

/**
 * The one secret of a deployment. Fields that this version does not know are left alone: people keep what belongs together
 * in one place.
 */
export const deploymentSecretSchema = z.object({
  /** What tickets are made with; the deployment makes it itself. */
  ticketSecret: z.string('is missing').min(32, 'must have at least 32 characters'),
  /** What GitHub signs its deliveries with; two while it is being changed. */
  githubWebhookSecret: oneOrTwo.optional(),
  /** As which App the deployment comes to GitHub, with a private key of it as PEM or as the base64 of that. */
  githubAppId: z.union([z.string(), z.number()]).transform(String).optional(),
  githubAppPrivateKey: z.string().optional(),
  /** Or by whose token. */
  githubToken: z.string().optional(),
  /** What turns reach repositories with, where there is no App: contents and pull requests, and nothing else. */
  gitToken: z.string().optional(),
  /** What agents find in their environment, such as the key of their model. */
  agentEnvironment: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of a variable'), z.string())
    .optional(),
});

export type DeploymentSecret = Readonly<z.output<typeof deploymentSecretSchema>>;
