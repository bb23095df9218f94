import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Machine, openMachine } from '../../lib/host/open-machine.ts';
import type { ReadWorkflow } from '../../lib/host/read-workflow.ts';
import { boardStates } from '../contracts/tracker-world.ts';
import { buildWorkflow } from '../support/build-workflow.ts';
import { type GitHubServer, githubServer } from '../support/github/github-server.ts';
import { makeHostWorld } from '../support/host-world.ts';

let dir: string;
let server: GitHubServer;
const before = process.env.GITHUB_TOKEN;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'remote-'));
  server = await githubServer();
  server.state.repository('acme/web', boardStates);
  process.env.GITHUB_TOKEN = server.token;
});
afterEach(async () => {
  if (before === undefined) delete process.env.GITHUB_TOKEN;
  else process.env.GITHUB_TOKEN = before;
  await server.close();
  await rm(dir, { recursive: true, force: true });
});

function open(kind: 'local' | 'github'): Promise<Machine> {
  const workflow = buildWorkflow({ tracker: { kind, project: kind === 'local' ? 'board' : 'acme/web' } });
  const place = kind === 'local' ? dir : 'https://github.com/acme/web';
  const read: ReadWorkflow = { file: join(dir, 'W.md'), text: '', workflow, place, repository: '/r.git' };
  return openMachine({
    dataDir: join(dir, `data-${kind}`),
    workflows: [read],
    intervalMs: 60_000,
    maxConcurrentAgents: 1,
    reporter: { report: () => undefined },
    trigger: { requestTick: async () => undefined },
    isServing: false,
  });
}

async function reopensAfter(kind: 'local' | 'github'): Promise<number> {
  const machine = await open(kind);
  await machine.store.close();
  return machine.ports.settings.timing.reopenAfterMs;
}

test('a ledger that may have been lost is kept closed until no write of a dead process can land elsewhere', async () => {
  // A data folder that is new has lost nothing, and a folder takes no late writes.
  expect(await reopensAfter('github')).toBe(0);
  expect(await reopensAfter('github')).toBe(150_000);
  for (let opened = 0; opened < 2; opened += 1) expect(await reopensAfter('local')).toBe(0);
});

test('a folder whose first command was no tick, such as a pause, has lost nothing: its first tick is a tick', async () => {
  const first = await open('github');
  await first.store.close();
  const second = await open('github');
  expect((await second.ports.ledger.tick())?.epoch).toBe(0);
  await second.store.close();
});

test('a board that is elsewhere is looked at every minute, and is called by its repository', async () => {
  const world = await makeHostWorld();
  const local = await world.start({ intervalMs: undefined });
  expect(local.intervalMs).toBe(5_000);
  await local.stop();
  const file = join(dir, 'W.md');
  const tracker = { kind: 'github', project: 'Acme/Web', endpoint: server.endpoint };
  const front = { tracker, repository: world.repository, agent: { kind: 'command', command: 'true' } };
  await writeFile(file, `---\n${JSON.stringify(front)}\n---\nWork on {{ issue.key }}.\n`);
  const host = await world.start({ workflows: [file], dataDir: join(dir, 'data'), intervalMs: undefined });
  expect(host.intervalMs).toBe(60_000);
  expect(host.boards).toMatchObject([
    { board: 'web', kind: 'github', place: expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+\/acme\/web$/) },
  ]);
  await host.stop();
  await world.end();
});
