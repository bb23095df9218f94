import { createHmac } from 'node:crypto';
import examples from '@octokit/webhooks-examples' with { type: 'json' };
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { webhookHandler } from '../../../functions/webhook.ts';
import { githubWebhook, type WebhookSecrets } from '../../../lib/adapters/github/github-webhook.ts';
import { buildWorld } from '../../support/world.ts';

const secret = 'a secret of the webhook';
const signed = (body: Uint8Array | string, with_ = secret) =>
  `sha256=${createHmac('sha256', with_).update(body).digest('hex')}`;

function judge(
  body: Uint8Array | string,
  signature: string | undefined,
  { secrets = async () => [secret], event = 'issues' }: { secrets?: WebhookSecrets; event?: string } = {},
) {
  const headers = {
    'x-github-event': event,
    ...(signature === undefined ? {} : { 'x-hub-signature-256': signature }),
  };
  return githubWebhook(secrets).judge(headers, Buffer.from(body as string));
}

describe('a delivery of GitHub', () => {
  test('is authentic with the signature of the vendor’s own example', async () => {
    const known = '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
    const secrets = async () => ["It's a Secret to Everybody"];
    expect(await judge('Hello, World!', `sha256=${known}`, { secrets })).toBe('hint');
  });

  test.each([
    ['carries no signature', '{}', undefined],
    ['carries an empty one', '{}', ''],
    ['carries one of another secret', '{}', signed('{}', 'another')],
    ['carries one of another body', '{ }', signed('{}')],
    ['carries the right one without its scheme', '{}', signed('{}').slice(7)],
    ['carries the old kind', '{}', `sha1=${createHmac('sha1', secret).update('{}').digest('hex')}`],
    ['is empty', '', signed('')],
    ['is no text', Buffer.from([0x7b, 0xff, 0x7d]), signed(Buffer.from([0x7b, 0xff, 0x7d]))],
    [
      'is no text, and signed as what it would be read as',
      Buffer.from([0x7b, 0xff, 0x7d]),
      signed('{\uFFFD}'),
    ],
  ])('is refused when it %s', async (_, body, signature) => {
    expect(await judge(body, signature)).toBe('forged');
  });

  test('is authentic by its bytes: a mark at the start belongs to them', async () => {
    const body = '\uFEFF{"zen":"ship"}';
    expect(await judge(body, signed(body))).toBe('hint');
    expect(await judge(body.slice(1), signed(body))).toBe('forged');
  });

  test('is authentic with either of two secrets while one is being changed', async () => {
    const secrets = async () => ['next', secret];
    expect(await judge('{}', signed('{}'), { secrets })).toBe('hint');
    expect(await judge('{}', signed('{}', 'next'), { secrets })).toBe('hint');
    expect(await judge('{}', signed('{}', 'first'), { secrets })).toBe('forged');
  });

  test('is judged once more by the secret that holds now, when it does not fit the one known', async () => {
    const asked: unknown[] = [];
    const secrets: WebhookSecrets = async (renewed) => {
      asked.push(renewed);
      return [renewed === undefined ? 'old' : secret];
    };
    expect(await judge('{}', signed('{}'), { secrets })).toBe('hint');
    expect(await judge('{}', signed('{}', 'old'), { secrets })).toBe('hint');
    expect(asked).toEqual([undefined, 'renewed', undefined]);
  });

  test('is unjudged when the secret cannot be read, which is no proof of a forgery', async () => {
    const secrets = async () => {
      throw new Error('throttled');
    };
    expect(await judge('{}', signed('{}'), { secrets })).toBe('unjudged');
  });

  test.each([{ known: [] }, { known: [''] }])(
    'is refused where no secret is set ($known)',
    async ({ known }) => {
      expect(await judge('{}', signed('{}', ''), { secrets: async () => known })).toBe('forged');
    },
  );

  test.each([
    ['issues', 'hint'],
    ['projects_v2_item', 'hint'],
    ['label', 'hint'],
    ['issue_dependencies', 'hint'],
    ['pull_request', 'hint'],
    ['push', 'irrelevant'],
    ['issue_comment', 'irrelevant'],
    ['check_run', 'irrelevant'],
    ['', 'irrelevant'],
  ])('of the event "%s" is a %s', async (event, expected) => {
    expect(await judge('{}', signed('{}'), { event })).toBe(expected);
  });
});

describe('the webhook function with GitHub’s deliveries', () => {
  const events = (examples as unknown as { name: string; examples: unknown[] }[]).flatMap(
    ({ name, examples: bodies }) => bodies.map((body) => ({ name, body: JSON.stringify(body) })),
  );

  const tellingOfBoards = [
    'installation',
    'installation_repositories',
    'issues',
    'label',
    'ping',
    'projects_v2_item',
    'pull_request',
    'repository',
  ];

  async function served() {
    const world = await buildWorld({});
    const webhooks = { github: githubWebhook(async () => [secret]) };
    const handler = webhookHandler({ ...world.ports, webhooks });
    const post = (body: string, headers: Record<string, string>, isBase64Encoded = false) =>
      handler({ rawPath: '/webhooks/github', headers, body, isBase64Encoded });
    return { ...world, post };
  }

  test('takes every example of the vendor, encoded or plain and with headers in any case', async () => {
    const { post, hints } = await served();
    expect(events.length).toBeGreaterThan(200);
    for (const { name, body } of events) {
      const headers = { 'X-GitHub-Event': name, 'X-Hub-Signature-256': signed(body) };
      const shouted = { 'X-GITHUB-EVENT': name, 'X-HUB-SIGNATURE-256': signed(body) };
      expect(await post(body, headers)).toEqual({ statusCode: 202 });
      expect(await post(Buffer.from(body).toString('base64'), shouted, true)).toEqual({ statusCode: 202 });
      expect(await post(`${body} `, headers)).toEqual({ statusCode: 401 });
    }
    const ofBoards = events.filter(({ name }) => tellingOfBoards.includes(name));
    expect(ofBoards.length).toBeGreaterThan(50);
    expect(hints()).toBe(2 * ofBoards.length);
  });

  test('answers whatever it is sent with 202 or 401, and hints at nothing unsigned', async () => {
    const { post, hints } = await served();
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(
          fc.constantFrom('x-hub-signature-256', 'X-Hub-Signature-256', 'x-github-event'),
          fc.string(),
        ),
        fc.oneof(fc.json(), fc.string({ unit: 'binary' })),
        fc.boolean(),
        async (headers, body, isBase64Encoded) => {
          expect(await post(body, headers, isBase64Encoded)).toEqual({ statusCode: 401 });
        },
      ),
    );
    expect(hints()).toBe(0);
  });

  test('takes any signed bytes, whatever they say', async () => {
    const { post } = await served();
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1, unit: 'grapheme' }), fc.string(), async (body, name) => {
        const headers = { 'x-github-event': name, 'x-hub-signature-256': signed(body) };
        expect(await post(body, headers)).toEqual({ statusCode: 202 });
      }),
    );
  });
});
