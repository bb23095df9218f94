import { createHash, createHmac } from 'node:crypto';
import type { Seal } from '../../controller/ports.ts';

/** Tickets that only who knows the deployment's secret can make. What makes one valid once is the start gate. */
export function hashSeal(secret: string): Seal {
  return {
    ticket: (turnId) => createHmac('sha256', secret).update(turnId).digest('base64url'),
    digest: (text) => createHash('sha256').update(text).digest('hex'),
  };
}
