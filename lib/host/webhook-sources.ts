import { githubWebhook } from '../adapters/github/github-webhook.ts';
import type { WebhookSource } from '../controller/ports.ts';
import { signedWebhook } from './signed-webhook.ts';

/**
 * The deliveries that one machine listens to: its own, and those of GitHub once `GITHUB_WEBHOOK_SECRET` is set. While that is
 * being changed, `GITHUB_WEBHOOK_SECRET_PREVIOUS` holds the one that deliveries may still be signed with.
 */
export function webhookSources(
  own: string,
  { GITHUB_WEBHOOK_SECRET, GITHUB_WEBHOOK_SECRET_PREVIOUS }: NodeJS.ProcessEnv,
): Readonly<Record<string, WebhookSource>> {
  const local = signedWebhook(own);
  if (!GITHUB_WEBHOOK_SECRET) return { local };
  const known = [GITHUB_WEBHOOK_SECRET];
  if (GITHUB_WEBHOOK_SECRET_PREVIOUS) known.push(GITHUB_WEBHOOK_SECRET_PREVIOUS);
  return { local, github: githubWebhook(async () => known) };
}
