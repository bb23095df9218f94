import { handler as deployed } from '../../../../functions/lambda/webhook.ts';

export const handler = deployed;
