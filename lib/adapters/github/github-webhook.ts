import { verify } from '@octokit/webhooks-methods';
import type { Delivery, WebhookSource } from '../../controller/ports.ts';

/**
 * The secrets that a delivery may be signed with: one, or two while it is being changed. `renewed` asks for what holds now
 * instead of what was read before; the answer may still be the earlier one. Fails when nothing can be read.
 */
export type WebhookSecrets = (renewed?: 'renewed') => Promise<readonly string[]>;

/**
 * Events that may tell of a board: https://docs.github.com/webhooks/webhook-events-and-payloads. Comments are left out,
 * since the status comment is one, and so is what only concerns code: of a push no card moves.
 */
const boardEvents: ReadonlySet<string> = new Set([
  'installation',
  'installation_repositories',
  'issue_dependencies',
  'issues',
  'label',
  'ping',
  'projects_v2',
  'projects_v2_item',
  'projects_v2_status_update',
  'pull_request',
  'repository',
  'sub_issues',
]);

/** Deliveries of GitHub, signed by `X-Hub-Signature-256` over the raw body. The event's name decides whether it is a hint. */
export function githubWebhook(secrets: WebhookSecrets): WebhookSource {
  return {
    async judge(headers, body): Promise<Delivery> {
      const signature = headers['x-hub-signature-256'] ?? '';
      const isSigned = (known: readonly string[]) => isSignedWithOne(known, body, signature);
      try {
        if (!(await isSigned(await secrets())) && !(await isSigned(await secrets('renewed'))))
          return 'forged';
      } catch {
        return 'unjudged';
      }
      return boardEvents.has(headers['x-github-event'] ?? '') ? 'hint' : 'irrelevant';
    },
  };
}

async function isSignedWithOne(secrets: readonly string[], body: Uint8Array, signature: string) {
  const text = textOf(body);
  // The library refuses empty values by an error, and would take other bytes than those that were signed for the same text.
  if (text === undefined || text === '' || signature === '') return false;
  const answers = await Promise.all(
    secrets.filter((secret) => secret !== '').map((secret) => verify(secret, text, signature)),
  );
  return answers.includes(true);
}

function textOf(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return undefined;
  }
}
