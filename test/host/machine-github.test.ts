import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { describeTurnAccess, findGitHubIdentity } from '../../lib/host/machine-github.ts';
import { buildWorkflow } from '../support/build-workflow.ts';

const board = (
  repository: string,
  kind: 'github' | 'github-project' | 'local' = 'github',
  endpoint?: string,
) => {
  const { tracker, ...workflow } = buildWorkflow();
  return { workflow: { ...workflow, tracker: { ...tracker, kind, endpoint } }, repository };
};
const address = 'https://github.com/acme/web.git';

describe('how turns reach their repository is told', () => {
  test('with a token and no other: as the user of the machine, why, and what would be better', () => {
    const [message, ...others] = describeTurnAccess([board(address), board(address)], {
      GITHUB_TOKEN: 'ghp_x',
    });
    expect(others).toEqual([]);
    expect(message).toMatch(
      /as the user of this machine does, because GITHUB_TOKEN may move cards.*GIT_TOKEN is not set/,
    );
    expect(message).not.toContain('ghp_x');
  });

  test('with a token of their own: by that, and why', () => {
    const env = { GITHUB_TOKEN: 'ghp_x', GIT_TOKEN: 'ghp_y' };
    const [message] = describeTurnAccess([board(address)], env);
    expect(message).toMatch(
      /reach https:\/\/github\.com\/acme\/web\.git by GIT_TOKEN, because GITHUB_TOKEN may move/,
    );
    expect(message).not.toMatch(/ghp_/);
  });

  test.each([
    { GITHUB_TOKEN: 'ghp_x', GIT_TOKEN: 'ghp_y' },
    { GITHUB_APP_ID: '42', GITHUB_APP_PRIVATE_KEY: makeKey() },
  ])('of an address that no token is sent to: which ones it would be', (env) => {
    for (const elsewhere of [
      'git@github.com:acme/web.git',
      'https://me:secret@git.example.com/acme/web.git',
    ]) {
      const [message] = describeTurnAccess([board(elsewhere)], env);
      expect(message).toContain('only used for addresses that begin with https://github.com/');
      expect(message).not.toContain('secret');
    }
  });

  test('not of a repository on this machine, of a board that is not at GitHub, or where an App makes tokens', () => {
    expect(describeTurnAccess([board('/srv/web.git')], { GITHUB_TOKEN: 'ghp_x' })).toEqual([]);
    expect(describeTurnAccess([board(address, 'local')], { GITHUB_TOKEN: 'ghp_x' })).toEqual([]);
    const app = { GITHUB_APP_ID: '42', GITHUB_APP_PRIVATE_KEY: makeKey() };
    expect(describeTurnAccess([board(address)], app)).toEqual([]);
  });
});

test('an App goes before a token', () => {
  const env = { GITHUB_APP_ID: '42', GITHUB_APP_PRIVATE_KEY: makeKey(), GITHUB_TOKEN: 'ghp_x' };
  expect(findGitHubIdentity(env)?.kind).toBe('app');
});

function makeKey(): string {
  return generateKeyPairSync('rsa', { modulusLength: 2_048 })
    .privateKey.export({ type: 'pkcs1', format: 'pem' })
    .toString();
}
