import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { webhookSources } from '../../lib/host/webhook-sources.ts';

const body = Buffer.from('{}');
const signedWith = (secret: string) => ({
  'x-github-event': 'issues',
  'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
});

test('a machine listens to GitHub once it has a secret for that', () => {
  expect(Object.keys(webhookSources('own', {}))).toEqual(['local']);
  expect(Object.keys(webhookSources('own', { GITHUB_WEBHOOK_SECRET: '' }))).toEqual(['local']);
  expect(Object.keys(webhookSources('own', { GITHUB_WEBHOOK_SECRET_PREVIOUS: 'old' }))).toEqual(['local']);
  expect(Object.keys(webhookSources('own', { GITHUB_WEBHOOK_SECRET: 'new' }))).toEqual(['local', 'github']);
});

test('a machine takes what was signed with the previous secret, and with no other', async () => {
  const { github } = webhookSources('own', {
    GITHUB_WEBHOOK_SECRET: 'new',
    GITHUB_WEBHOOK_SECRET_PREVIOUS: 'old',
  });
  expect(await github?.judge(signedWith('new'), body)).toBe('hint');
  expect(await github?.judge(signedWith('old'), body)).toBe('hint');
  expect(await github?.judge(signedWith('own'), body)).toBe('forged');
});
