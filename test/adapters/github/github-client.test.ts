import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { personalToken } from '../../../lib/adapters/github/credential.ts';
import { describeSilence } from '../../../lib/adapters/github/describe-silence.ts';
import {
  type GitHubClient,
  type GitHubClientOptions,
  githubClient,
  type Operation,
} from '../../../lib/adapters/github/github-client.ts';
import { GitHubError } from '../../../lib/adapters/github/github-error.ts';
import { eventually } from '../../support/eventually.ts';
import {
  type ScriptedAnswer,
  type ScriptedServer,
  scriptedServer,
} from '../../support/github/scripted-server.ts';

let server: ScriptedServer;
let now: number;
let client: GitHubClient;
beforeEach(async () => {
  server = await scriptedServer();
  now = Date.parse('2026-01-01T12:00:00Z');
  client = makeClient();
});
afterEach(() => server.close());

function makeClient(options: Partial<GitHubClientOptions> = {}): GitHubClient {
  return githubClient({
    credential: personalToken(() => 'the-token'),
    endpoint: server.endpoint,
    userAgent: 'evenkeel/test',
    now: () => now,
    timing: { readMs: 400, writeMs: 400, retryMs: 1 },
    ...options,
  });
}

const whoAmI: Operation<{ viewer: { login: string } | null }> = {
  text: 'query { viewer { login } }',
  data: z.object({ viewer: z.object({ login: z.string() }).nullable() }),
};
const good: ScriptedAnswer = { json: { data: { viewer: { login: 'alice' } } } };
const read = () => client.query(whoAmI, { n: 1 }, 'step');
const survey = () => client.query(whoAmI, {}, 'survey');
const write = () => client.mutate(whoAmI, {});
const kindOf = (call: Promise<unknown>) =>
  call.then(
    () => 'answered',
    (error: unknown) => (error instanceof GitHubError ? error.kind : error),
  );
const reset = (seconds: number) => String(Math.floor(now / 1_000) + seconds);

test('a query goes to the endpoint with the token, and its data comes back', async () => {
  server.answer(good);
  expect(await read()).toEqual({ data: { viewer: { login: 'alice' } }, errors: [] });
  expect(server.requests).toEqual([
    {
      method: 'POST',
      path: '/api/graphql',
      headers: expect.objectContaining({ authorization: 'bearer the-token', 'user-agent': 'evenkeel/test' }),
      body: JSON.stringify({ query: 'query { rateLimit { cost } viewer { login } }', variables: { n: 1 } }),
    },
  ]);
});

test('REST of an Enterprise server lies below /v3', async () => {
  server.answer({ json: { permission: 'write' } });
  const data = z.object({ permission: z.string() });
  expect(await client.get('/repos/o/r', data, 'step')).toEqual({ permission: 'write' });
  expect(server.requests[0]).toMatchObject({ method: 'GET', path: '/api/v3/repos/o/r' });
});

describe('partial data', () => {
  test('is kept, with what is wrong with the rest', async () => {
    const errors = [{ type: 'NOT_FOUND', path: ['viewer'], message: 'There is no viewer.', locations: [] }];
    server.answer({ json: { data: { viewer: null }, errors } });
    expect(await read()).toEqual({
      data: { viewer: null },
      errors: [{ type: 'NOT_FOUND', path: ['viewer'], message: 'There is no viewer.' }],
    });
  });

  test.each([
    ['missing', { type: 'NOT_FOUND', message: 'x' }],
    ['forbidden', { type: 'FORBIDDEN', message: 'Resource not accessible by integration' }],
    ['refused', { type: 'UNPROCESSABLE', message: 'Body is too long' }],
    ['refused', { message: "Field 'x' doesn't exist", extensions: { code: 'undefinedField' } }],
    ['broken', { message: 'Something went wrong while executing your query.' }],
  ])('that is none is a failure: %s', async (kind, error) => {
    server.answer({ json: { data: null, errors: [error] } });
    expect(await kindOf(write())).toBe(kind);
  });

  test('an answer of another form is no answer', async () => {
    server.answer({ json: { data: { viewer: { login: 7 } } } });
    expect(await kindOf(write())).toBe('broken');
  });
});

describe('where no answer comes', () => {
  const troubles: readonly (readonly [string, ScriptedAnswer, string])[] = [
    ['silence', 'silence', 'late'],
    ['a closed connection', 'hang-up', 'unreachable'],
    ['an answer that breaks off', 'break-off', 'broken'],
    ['502', { status: 502, text: '<html>' }, 'late'],
    ['500', { status: 500, text: '<html>' }, 'broken'],
    ['a page instead of JSON', { text: '<html>' }, 'broken'],
  ];
  test.each(troubles)('a read is tried a second time (%s)', async (_, trouble) => {
    server.answer(trouble, good);
    expect((await read()).data).toEqual({ viewer: { login: 'alice' } });
    server.answer(trouble);
    server.requests.length = 0;
    expect(await kindOf(read())).not.toBe('answered');
    expect(server.requests).toHaveLength(2);
  });

  test('one that hangs is waited for once, and is asked again a little later', async () => {
    server.answer('silence');
    expect(await kindOf(read())).toBe('late');
    server.requests.length = 0;
    server.answer(good);
    await expect(read()).rejects.toThrow('did not answer a moment ago');
    expect(server.requests).toEqual([]);

    await eventually(
      () => kindOf(read()),
      (kind) => kind === 'answered',
    );
  });

  test('one that is slow to say that it gives up is asked for less at once', async () => {
    server.answer({ status: 504, text: '<html>' });
    expect(await kindOf(read())).toBe('late');
    server.answer(good);
    expect(await kindOf(read())).toBe('answered');
  });

  test.each(troubles)('a write is never repeated (%s)', async (_, trouble, kind) => {
    server.answer(trouble, good);
    expect(await kindOf(write())).toBe(kind);
    expect(server.requests).toHaveLength(1);
  });

  test('a refused connection is told as such', async () => {
    await server.close();
    await expect(write()).rejects.toThrow(
      `GitHub did not answer: ${new URL(server.endpoint).host} refused the connection (ECONNREFUSED); look at the network, and at tracker.endpoint`,
    );
  });
});

describe('why no answer came is told with what to look at:', () => {
  const caused = (code: string) => Object.assign(new TypeError('fetch failed'), { cause: errorWith(code) });
  const errorWith = (code: string) => Object.assign(new Error('x'), { code });

  test.each<[string, unknown, string]>([
    ['a name', caused('ENOTFOUND'), 'the name api.github.com could not be looked up (ENOTFOUND)'],
    ['a closed port', caused('ECONNREFUSED'), 'api.github.com refused the connection (ECONNREFUSED)'],
    ['a cut', caused('UND_ERR_SOCKET'), 'the connection to api.github.com was cut (UND_ERR_SOCKET)'],
    ['no way', caused('ENETUNREACH'), 'there is no way to api.github.com (ENETUNREACH)'],
    [
      'a slow host',
      caused('UND_ERR_CONNECT_TIMEOUT'),
      'api.github.com did not answer in time (UND_ERR_CONNECT_TIMEOUT)',
    ],
    ['our patience', new DOMException('x', 'TimeoutError'), 'api.github.com took longer than 10 s'],
    [
      'a certificate',
      caused('SELF_SIGNED_CERT_IN_CHAIN'),
      'no secure connection to api.github.com (SELF_SIGNED_CERT_IN_CHAIN)',
    ],
    [
      'anything else',
      Object.assign(new TypeError('fetch failed'), { cause: new Error('bad port') }),
      'api.github.com could not be asked (bad port)',
    ],
  ])('%s', (_, error, words) => {
    const told = describeSilence(error, 'https://api.github.com/graphql', 10_000);
    expect(told).toBe(`${words}; look at the network`);
  });

  test('at an address of the workflow file, that too', () => {
    const told = describeSilence(caused('ENOTFOUND'), 'https://github.example.com/api/graphql', 10_000);
    expect(told).toBe(
      'the name github.example.com could not be looked up (ENOTFOUND); look at the network, and at tracker.endpoint',
    );
  });

  test.each([
    ['a page that is none of an API', { status: 200, text: '<html>Sign in</html>' }],
    ['a page that is not there', { status: 404, text: '<html>Not here</html>' }],
    ['a way to somewhere else', { status: 302, headers: { location: '/login' } }],
  ])('%s', async (_, answer) => {
    server.answer(answer, answer);
    await expect(read()).rejects.toThrow(
      /^127\.0\.0\.1:\d+ answered.* not as GitHub does.*tracker\.endpoint/,
    );
  });
});

test('a redirect of a write, and of GraphQL, is not followed: it would carry the token elsewhere', async () => {
  server.answer({ status: 301, headers: { location: `${server.endpoint}/graphql` } }, good);
  expect(await kindOf(read())).toBe('refused');
  expect(server.requests).toHaveLength(1);
});

describe('a redirect of a read', () => {
  const get = () => client.get('/repos/acme/old/permission', z.object({ permission: z.string() }), 'step');
  const moved = (location: string) => ({ status: 301, headers: { location }, json: { message: 'Moved' } });
  const answer = { json: { permission: 'write' } };

  test('is followed once to where the server knows the repository by now', async () => {
    server.answer(moved('/api/v3/repositories/7/permission'), answer);
    expect(await get()).toEqual({ permission: 'write' });
    server.answer(moved('/api/v3/a'), moved('/api/v3/b'), answer);
    expect(await kindOf(get())).toBe('refused');
    expect(server.requests.map(({ path }) => path).slice(-2)).toEqual([
      '/api/v3/repos/acme/old/permission',
      '/api/v3/a',
    ]);
  });

  test('to another server is not followed', async () => {
    const other = await scriptedServer();
    other.answer(answer);
    server.answer(moved(`${other.endpoint}/v3/a`), answer);
    expect(await kindOf(get())).toBe('refused');
    expect(other.requests).toEqual([]);
    await other.close();
  });
});

describe('a token that is refused', () => {
  const refusal: ScriptedAnswer = { status: 401, json: { message: 'Bad credentials' } };

  test('is renewed once, for reads and writes', async () => {
    for (const call of [read, write]) {
      const tokens = ['old', 'new'];
      client = makeClient({ credential: personalToken(() => tokens.shift()) });
      server.requests.length = 0;
      server.answer(refusal, good);
      expect(await kindOf(call())).toBe('answered');
      expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
        'bearer old',
        'bearer new',
      ]);
    }
  });

  test('and has no newer one, or a newer one that is refused too, ends the call', async () => {
    server.answer(refusal);
    expect(await kindOf(write())).toBe('unauthorized');
    expect(server.requests).toHaveLength(1);
    const tokens = ['old', 'new'];
    client = makeClient({ credential: personalToken(() => tokens.shift() ?? 'newest') });
    expect(await kindOf(write())).toBe('unauthorized');
    expect(server.requests).toHaveLength(3);
  });

  test.each(['', 'a\nb', 'ü'])('and cannot be sent is not quoted (%j)', async (token) => {
    client = makeClient({ credential: personalToken(() => token) });
    const problem = await write().catch((error: Error) => error.message);
    expect(problem).toMatch(/^the token for GitHub is empty or holds/);
    expect(server.requests).toHaveLength(0);
  });
});

describe('limits', () => {
  const usedUp = (seconds: number) => ({
    'x-ratelimit-limit': '5000',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': reset(seconds),
    date: new Date(now).toUTCString(),
  });
  const rateLimited = { errors: [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }] };
  const cases: readonly (readonly [string, () => ScriptedAnswer, number])[] = [
    ['primary, GraphQL', () => ({ headers: usedUp(600), json: rateLimited }), 601],
    ['primary, 403', () => ({ status: 403, headers: usedUp(600), json: { message: 'x' } }), 601],
    ['secondary, 403', () => ({ status: 403, headers: { 'retry-after': '90' }, json: { message: 'x' } }), 90],
    ['secondary, 429', () => ({ status: 429, headers: { 'retry-after': '90' } }), 90],
    [
      'secondary, 200',
      () => ({ json: { errors: [{ message: 'You have exceeded a secondary rate limit.' }] } }),
      60,
    ],
  ];
  test.each(cases)(
    '%s: one request, then none until the reset, which is told in seconds',
    async (_, answer, seconds) => {
      server.answer(answer(), good);
      expect(await kindOf(read())).toBe('limited');
      now += seconds * 1_000 - 1;
      for (const call of [read, survey, write]) expect(await kindOf(call())).toBe('limited');
      expect(server.requests).toHaveLength(1);
      now += 1;
      expect(await kindOf(read())).toBe('answered');
    },
  );

  test('say when they end', async () => {
    server.answer({ status: 429, headers: { 'retry-after': '90' } });
    const error = await read().catch((thrown: GitHubError) => thrown);
    expect(error).toMatchObject({
      until: now + 90_000,
      message: expect.stringContaining('2026-01-01T12:01:30'),
    });
  });

  test('without a time last longer each time, until a request is served', async () => {
    const refusal = { status: 403, json: { message: 'You have exceeded a secondary rate limit' } };
    const pauses: number[] = [];
    for (const answer of [refusal, refusal, refusal, good, refusal]) {
      server.answer(answer);
      const until = await read().then(
        () => now,
        (error: GitHubError) => error.until!,
      );
      pauses.push((until - now) / 1_000);
      now = until;
    }
    expect(pauses).toEqual([60, 120, 240, 0, 60]);
  });

  test('of GraphQL leave REST alone', async () => {
    server.answer({ headers: usedUp(600), json: rateLimited }, { json: {} });
    expect(await kindOf(read())).toBe('limited');
    expect(await kindOf(client.get('/x', z.object({}), 'step'))).toBe('answered');
  });

  test('are the vendor’s by its own clock', async () => {
    const ahead = { ...usedUp(630), date: new Date(now + 30_000).toUTCString() };
    server.answer({ status: 403, headers: ahead, json: { message: 'x' } });
    const error = await read().catch((thrown: GitHubError) => thrown);
    expect((error as GitHubError).until).toBe(now + 601_000);
  });

  test('a last point that was used is known without a refusal', async () => {
    server.answer({ ...good, headers: usedUp(600) });
    expect(await kindOf(read())).toBe('answered');
    expect(client.quota('graphql')).toEqual({ limit: 5_000, remaining: 0, resetAt: now + 601_000 });
    expect(await kindOf(read())).toBe('limited');
    expect(server.requests).toHaveLength(1);
  });

  test('a reserve is kept for what one issue needs', async () => {
    server.answer({ ...good, headers: { ...usedUp(600), 'x-ratelimit-remaining': '249' } });
    expect(await kindOf(survey())).toBe('answered');
    expect(await kindOf(survey())).toBe('limited');
    expect(await kindOf(read())).toBe('answered');
    expect(await kindOf(write())).toBe('answered');
    now += 601_000;
    expect(await kindOf(survey())).toBe('answered');
  });
});

test('who shares a client shares its limits, and counts for itself', async () => {
  const priced = { json: { data: { viewer: { login: 'alice' }, rateLimit: { cost: 3 } } } };
  const other = client.share();
  server.answer(priced, priced, { status: 401, json: {} }, { status: 429, headers: { 'retry-after': '30' } });
  await read();
  await other.query(whoAmI, {}, 'step');
  expect(await kindOf(read())).toBe('unauthorized');
  expect(client.spent()).toMatchObject({ requests: 2, points: 3, limitedUntil: undefined });
  expect(await kindOf(other.mutate(whoAmI, {}))).toBe('limited');
  expect(other.spent()).toMatchObject({ requests: 2, points: 3, limitedUntil: now + 30_000 });
  expect(client.spent()).toMatchObject({ requests: 2, points: 3, limitedUntil: now + 30_000 });
});

test('a 403 without a limit is a permission that is missing', async () => {
  server.answer({ status: 403, json: { message: 'Resource not accessible by personal access token' } });
  await expect(read()).rejects.toThrow('Resource not accessible by personal access token');
  expect(await kindOf(read())).toBe('forbidden');
});
