import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { KeepWorkAnswer } from '../../lib/core/turn-protocol.ts';
import { startContainerPlatform } from '../support/container-platform.ts';
import { makeTurnWorld, type StartOptions, type TurnWorld } from '../support/turn-world.ts';

const address = 's3://kept/turns/1.bundle';
const forbidden =
  'mkdir -p .github/workflows; echo x > .github/workflows/ci.yml; git add -A; git commit -qm one';

let world: TurnWorld;
let platform: Awaited<ReturnType<typeof startContainerPlatform>>;
let store: Server;
/** What was put, and with which length it was told. */
let kept: { readonly length: string | undefined; readonly body: Buffer }[];
/** How the next puts are answered; after them with 200. Nobody answers a `hang`. */
let answers: (number | 'hang')[];

beforeEach(async () => {
  world = await makeTurnWorld({ command: forbidden });
  platform = await startContainerPlatform();
  kept = [];
  answers = [];
  store = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const status = answers.shift() ?? 200;
    if (status === 'hang') return;
    if (status === 200) kept.push({ length: request.headers['content-length'], body: Buffer.concat(chunks) });
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => store.listen(0, '127.0.0.1', resolve));
  const uploadUrl = `http://127.0.0.1:${(store.address() as AddressInfo).port}/1?signed`;
  world.api.says.keepWork = () => ({ answer: 'go', place: { uploadUrl, address } });
});
afterEach(async () => {
  platform.stop();
  store.closeAllConnections();
  store.close();
  await world.end();
});

const run = (options: StartOptions = {}) => world.run({ ...options, env: platform.env });
const lost = ['1 commit could be kept nowhere and ended with the container of the turn.'];

describe('commits of a turn in a container that failed the screening', () => {
  test('are left with the deployment, as a bundle from which they can be fetched', async () => {
    const asked: number[] = [];
    const { keepWork } = world.api.says;
    world.api.says.keepWork = (bytes) => {
      asked.push(bytes);
      return keepWork(bytes);
    };
    const { result, log } = await run();
    expect(result, log).toMatchObject({
      failure: { class: 'delivery' },
      git: { commits: 1, pushed: false, bundle: address },
    });
    expect(result?.notes).toBeUndefined();
    expect(kept).toHaveLength(1);
    expect(asked).toEqual([kept[0]!.body.length]);
    expect(kept[0]!.length).toBe(String(asked[0]));

    const file = join(world.traces, 'work.bundle');
    writeFileSync(file, kept[0]!.body);
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', world.host.address, ...args], { encoding: 'utf8' });
    git('fetch', '--quiet', file, 'refs/evenkeel/work:refs/heads/fetched');
    expect(git('ls-tree', '-r', '--name-only', 'fetched')).toContain('.github/workflows/ci.yml');
  });

  test('are left at a later try where the first one met trouble', async () => {
    answers = [503];
    const { result } = await run();
    expect(result?.git).toMatchObject({ bundle: address });
    expect(kept).toHaveLength(1);
  });

  const saying = (answer: KeepWorkAnswer) => () => {
    world.api.says.keepWork = () => answer;
  };
  const answering = (answer: number | 'hang') => () => {
    answers = Array(50).fill(answer);
  };
  const openly = { uploadUrl: 'http://kept.example.com/1', address };
  test.each<[string, () => void]>([
    ['the deployment keeps none', saying({ answer: 'go' })],
    ['the lease is not the turn’s any more', saying({ answer: 'stop', reason: 'gone', keepWork: false })],
    ['the deployment knows no such call', saying({ error: 'no such call' } as never)],
    ['its place refuses them', answering(403)],
    ['its place never answers', answering('hang')],
    ['its place is not encrypted', saying({ answer: 'go', place: openly })],
  ])('are told lost where %s, and hold the turn up for a moment only', async (_, spoil) => {
    spoil();
    const { result, log } = await run({ hasty: { transferPatienceMs: 300, pushMs: 1_000 } });
    expect(result, log).toMatchObject({ failure: { class: 'delivery' }, notes: lost });
    expect(result?.git).not.toHaveProperty('bundle');
    expect(log).toContain('the bundle could not be left with the deployment');
    expect(kept).toEqual([]);
  });

  test('are nobody else’s to know of: no line of the log holds the signed address', async () => {
    const { log } = await run();
    expect(log).toContain('commits that did not reach the branch were bundled');
    expect(log).not.toContain('signed');
  });
});

test('on a machine that keeps the folders of turns nothing is left elsewhere', async () => {
  const { result } = await world.run();
  expect(result?.git?.bundle).toBe(join(world.dir, 'work.bundle'));
  expect(kept).toEqual([]);
});
