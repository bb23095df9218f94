import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { GitTokenAnswer } from '../../lib/core/turn-protocol.ts';
import { type GitServer, startGitServer } from '../support/git-server.ts';
import { makeTurnWorld, type TurnWorld } from '../support/turn-world.ts';

const branch = 'evenkeel/issue/web-1';
const first = 'ghs_canary-of-the-first-token';
const second = 'ghs_canary-of-the-second-token';
const command = 'echo one > one.txt; git add one.txt; git commit -q -m "one"';
const hourMs = 3_600_000;

let world: TurnWorld;
let server: GitServer;

beforeEach(async () => {
  world = await makeTurnWorld({ command });
  server = await startGitServer(world.host.address);
  Object.assign(world.instructions, { repository: `${server.url}/origin.git` });
});

afterEach(async () => {
  await world.end();
  server.close();
});

/** A token that is taken from now on, as the turn API hands it out. */
function mint(password: string, lastsMs = hourMs): GitTokenAnswer {
  server.taken.add(password);
  const { revokeUrl } = server;
  return {
    answer: 'go',
    token: { username: 'x-access-token', password, expiresAt: Date.now() + lastsMs, revokeUrl },
  };
}

/** Answers with these, one after the other, and then with the last. */
function answer(...answers: readonly (() => GitTokenAnswer)[]): { count: number } {
  const calls = { count: 0 };
  world.api.says.gitToken = () => {
    const next = answers[Math.min(calls.count, answers.length - 1)] as () => GitTokenAnswer;
    calls.count += 1;
    return next();
  };
  return calls;
}

test('a turn fetches and pushes with the token it asked for, once, and ends it', async () => {
  const calls = answer(() => mint(first));
  const { result, log } = await world.run();
  expect(result).toMatchObject({ status: 'completed', git: { pushed: true } });
  expect(world.host.read(branch, 'one.txt')).toBe('one');
  expect(calls.count).toBe(1);
  expect(new Set(server.asked.map(({ who }) => who))).toEqual(
    new Set([undefined, `x-access-token:${first}`]),
  );
  expect(server.revoked).toEqual([first]);
  expect(server.taken.size).toBe(0);
  expect(log).toContain('given back');
});

test('no file, no log, no command line and no process of hooks, agent or gates has the token', async () => {
  const spy = join(world.traces, 'spy');
  const look = (name: string) => `${spy} ${join(world.traces, name)}`;
  writeFileSync(
    spy,
    '#!/bin/sh\n{ env; cat .git/config; git config --list; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline; } 2>/dev/null | tr "\\0" "\\n" > "$1"; true\n',
  );
  chmodSync(spy, 0o755);
  // Git as every contact starts it, with its arguments and what it inherits in view.
  const bin = join(world.traces, 'bin');
  mkdirSync(bin);
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  writeFileSync(
    join(bin, 'git'),
    `#!/bin/sh\nprintf '%s\\n' "$*" >> ${world.traces}/arguments\nenv >> ${world.traces}/contacts\nexec ${real} "$@"\n`,
  );
  chmodSync(join(bin, 'git'), 0o755);
  const hooks = {
    after_create: look('after-create'),
    before_run: look('before-run'),
    after_run: look('after-run'),
  };
  const { instructions } = world;
  Object.assign(instructions, {
    hooks: { ...instructions.hooks, ...hooks },
    agent: { ...instructions.agent, command: `${look('agent')}; ${command}` },
    verify: [look('gate')],
  });
  answer(() => mint(first));
  const { result, log } = await world.run({ env: { PATH: `${bin}:${process.env.PATH}` } });
  expect(result).toMatchObject({ status: 'completed', git: { pushed: true } });
  const seen = ['after-create', 'before-run', 'agent', 'after-run', 'gate', 'arguments'].map((name) => {
    const path = join(world.traces, name);
    return existsSync(path) ? readFileSync(path, 'latin1') : `missing: ${name}`;
  });
  expect(seen.join('\n')).not.toMatch(/canary|missing: /);
  expect(log + JSON.stringify(result)).not.toContain('canary');
  expect(readFileSync(join(world.traces, 'contacts'), 'latin1')).toContain(first);
  expect(grep('canary', world.dir)).toBe('');
  expect(grep('canary', world.host.address)).toBe('');
});

test('a token that is about to expire is replaced before the next contact, and both are ended', async () => {
  const calls = answer(
    () => mint(first, 299_000),
    () => mint(second),
  );
  const { result } = await world.run();
  expect(result).toMatchObject({ status: 'completed', git: { pushed: true } });
  expect(calls.count).toBe(2);
  expect([...server.revoked].sort()).toEqual([first, second]);
});

test('a token that the code host refuses is replaced once', async () => {
  const calls = answer(
    () => {
      const minted = mint(first);
      server.taken.delete(first);
      return minted;
    },
    () => mint(second),
  );
  const { result } = await world.run();
  expect(result).toMatchObject({ status: 'completed', git: { pushed: true } });
  expect(calls.count).toBe(2);
});

test('a token that is refused again and again is the failure of the turn, without the token', async () => {
  answer(() => {
    const minted = mint(first);
    server.taken.clear();
    return minted;
  });
  const { result, log } = await world.run({ hasty: { transferPatienceMs: 300 } });
  expect(result?.failure).toMatchObject({ class: 'infrastructure', kind: 'git-forbidden', retryable: true });
  expect(log + JSON.stringify(result)).not.toContain('canary');
});

test('a wait and an answer that fails to come are asked about again', async () => {
  const calls = answer(
    () => ({ answer: 'wait', reason: 'the ledger is lost' }),
    () => {
      throw new Error('not known now');
    },
    () => mint(first),
  );
  const { result } = await world.run();
  expect(result).toMatchObject({ status: 'completed', git: { pushed: true } });
  expect(calls.count).toBe(3);
});

test('a turn that nobody gives an access does not try without, and says why', async () => {
  answer(() => ({ answer: 'wait', reason: 'the App is not installed on acme/web' }));
  const { result } = await world.run({ hasty: { transferPatienceMs: 300 } });
  expect(result?.failure).toMatchObject({
    class: 'infrastructure',
    kind: 'no-access-given',
    detail: expect.stringContaining('the App is not installed on acme/web'),
  });
  expect(server.asked).toEqual([]);
});

test('a stop in place of a token stops the turn', async () => {
  answer(() => ({ answer: 'stop', reason: 'the lease is not for this turn', keepWork: false }));
  const { result } = await world.run();
  expect(result).toMatchObject({ status: 'stopped', cause: 'asked' });
  expect(server.asked).toEqual([]);
});

test('work that was not delivered is kept with the token, also by a turn that is stopped', async () => {
  answer(() => mint(first));
  const { instructions } = world;
  const committed = join(world.traces, 'committed');
  const lasting = `${command}; touch ${committed}; sleep 60`;
  Object.assign(instructions, { agent: { ...instructions.agent, command: lasting } });
  world.api.says.heartbeat = () =>
    existsSync(committed) ? { answer: 'stop', reason: 'moved', keepWork: true } : { answer: 'go' };
  const { result } = await world.run();
  expect(result).toMatchObject({ status: 'stopped', git: { wipBranch: 'evenkeel/wip/web-1' } });
  expect(server.revoked).toEqual([first]);
  expect(world.host.read('evenkeel/wip/web-1', 'one.txt')).toBe('one');
});

test('a code host that does not answer the revocation does not hold the turn for long', async () => {
  server.answersRevocation = false;
  answer(() => mint(first));
  const { result, log } = await world.run();
  expect(result).toMatchObject({ status: 'completed' });
  expect(log).toContain('could not be given back');
  expect(log).not.toContain('canary');
});

test('with a token, nothing that the user of the machine is logged in with is used', async () => {
  const home = join(world.traces, 'home');
  mkdirSync(home);
  const helper = '!f() { echo username=ada; echo password=lovelace; }; f';
  writeFileSync(
    join(home, '.gitconfig'),
    `[credential]\n\thelper = "${helper}"\n[http]\n\textraHeader = "X-Of-User: lovelace"\n[url "${server.url}/elsewhere/"]\n\tinsteadOf = ${server.url}/\n`,
  );
  answer(() => mint(first));
  const { result } = await world.run({ env: { HOME: home } });
  expect(result).toMatchObject({ status: 'completed', git: { pushed: true } });
  expect(server.asked.map(({ line }) => line).join('\n')).not.toContain('elsewhere');
  expect(server.asked.map(({ who }) => who)).not.toContain('ada:lovelace');
  expect(server.asked.filter(({ headers }) => 'x-of-user' in headers)).toEqual([]);
});

test('without a token of its own a turn uses what the machine has', async () => {
  answer(() => ({ answer: 'go' }));
  server.taken.add('lovelace');
  const home = join(world.traces, 'home');
  mkdirSync(home);
  const helper = '!f() { echo username=ada; echo password=lovelace; }; f';
  writeFileSync(join(home, '.gitconfig'), `[credential]\n\thelper = "${helper}"\n`);
  const { result } = await world.run({ env: { HOME: home } });
  expect(result).toMatchObject({ status: 'completed', git: { pushed: true } });
  expect(server.revoked).toEqual([]);
});

/** The files below a folder that hold the text. */
function grep(text: string, folder: string): string {
  return execFileSync('sh', ['-c', `grep -rl "${text}" "${folder}" || true`], { encoding: 'utf8' });
}
