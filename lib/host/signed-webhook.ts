import { createHmac } from 'node:crypto';
import type { WebhookSource } from '../controller/ports.ts';
import { isSameText } from './same-text.ts';

/** The header in which a delivery carries `sha256=` and the hex HMAC of its raw body. */
const signatureHeader = 'x-evenkeel-signature';

/** Hints of whoever knows the deployment's webhook secret: a commit hook, a script that watches a folder. */
export function signedWebhook(secret: string): WebhookSource {
  return {
    judge: async (headers, body) => {
      const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
      return isSameText(headers[signatureHeader] ?? '', expected) ? 'hint' : 'forged';
    },
  };
}
