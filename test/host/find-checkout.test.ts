import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findCheckout } from '../../lib/host/find-checkout.ts';

let dir: string;
beforeEach(async () => {
  dir = realpathSync(await mkdtemp(join(tmpdir(), 'checkout-')));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function git(...args: readonly string[]): void {
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.org'];
  execFileSync('git', [...who, ...args], { cwd: dir, env: { PATH: process.env.PATH, HOME: dir } });
}

test('a folder that is in no repository is no checkout', async () => {
  expect(await findCheckout(dir, 'github.com')).toBeUndefined();
});

test('a checkout tells its branch, also from a folder within it, and before its first commit', async () => {
  git('init', '--quiet', '--initial-branch=trunk', '.');
  mkdirSync(join(dir, 'issues'));
  const checkout = { hosted: undefined, branch: 'trunk', originBase: undefined };
  expect(await findCheckout(join(dir, 'issues'), 'github.com')).toEqual(checkout);
});

test('a detached one has no branch, and still knows the base of its origin', async () => {
  git('init', '--quiet', '--initial-branch=mine', '.');
  git('commit', '--quiet', '--allow-empty', '--message', 'Begin');
  git('checkout', '--quiet', '--detach');
  git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/release/2');
  expect(await findCheckout(dir, 'github.com')).toMatchObject({ branch: undefined, originBase: 'release/2' });
});

test.each<readonly [string, string, string | undefined]>([
  ['https://github.com/acme/web.git', 'github.com', 'acme/web'],
  ['https://robot:secret@GitHub.com/acme/web/', 'github.com', 'acme/web'],
  ['git@github.com:acme/web.js.git', 'github.com', 'acme/web.js'],
  ['ssh://git@github.example.com:2222/acme/web', 'github.example.com', 'acme/web'],
  ['https://gitlab.com/acme/web.git', 'github.com', undefined],
  ['https://github.com.example.org/acme/web.git', 'github.com', undefined],
  ['https://github.com/acme/group/web.git', 'github.com', undefined],
  ['../web.git', 'github.com', undefined],
])('the origin %s is at %s the repository %s', async (address, codeHost, hosted) => {
  git('init', '--quiet', '.');
  git('config', 'remote.origin.url', address);
  expect(await findCheckout(dir, codeHost)).toMatchObject({ hosted });
});
