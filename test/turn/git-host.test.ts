import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeTurnWorld, type TurnWorld } from '../support/turn-world.ts';

let server: Server;
let world: TurnWorld;
let status = 404;
let asked: (string | undefined)[] = [];

beforeEach(async () => {
  asked = [];
  server = createServer(({ headers }, response) => {
    asked.push(headers.authorization);
    response.writeHead(status, { 'www-authenticate': 'Basic realm="code"' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  world = await makeTurnWorld({ command: 'true', repository: `http://127.0.0.1:${port}/acme/web.git` });
});

afterEach(async () => {
  await world.end();
  server.closeAllConnections();
  server.close();
});

test.each([
  [404, { class: 'policy', kind: 'repository-not-found', retryable: false }],
  [401, { class: 'infrastructure', kind: 'git-forbidden', retryable: true }],
  [403, { class: 'infrastructure', kind: 'git-forbidden', retryable: true }],
  [429, { class: 'infrastructure', kind: 'git-host-unreachable', retryable: true }],
  [503, { class: 'infrastructure', kind: 'git-host-unreachable', retryable: true }],
])(
  'a code host that answers %i is understood, and nobody is asked for a password',
  async (answer, failure) => {
    status = answer;
    const { result } = await world.run({ hasty: { transferPatienceMs: 300 } });
    expect(result).toMatchObject({ status: 'failed', failure });
  },
);

test('the user’s own helper gives the access, and nothing else of the user’s configuration is used', async () => {
  status = 401;
  const home = join(world.traces, 'home');
  mkdirSync(home);
  const helper = '!f() { echo username=ada; echo password=lovelace; }; f';
  const config = `[credential]\n\thelper = "${helper}"\n[core]\n\thooksPath = ${home}\n[init]\n\ttemplateDir = ${home}\n`;
  writeFileSync(join(home, '.gitconfig'), config);
  const { result, log } = await world.run({ env: { HOME: home } });
  expect(asked).toContain(`Basic ${Buffer.from('ada:lovelace').toString('base64')}`);
  expect(result?.failure?.kind).toBe('git-forbidden');
  expect(JSON.stringify(result) + log).not.toContain('lovelace');
});
