import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { GitToken } from '../controller/edge-ports.ts';
import type { Problem } from '../core/contract.ts';
import type { Workflow } from '../core/workflow.ts';
import { describeMissingBase } from './check-base.ts';
import { findGitHubIdentity, machineGitHub } from './machine-github.ts';

export interface RemoteFindings {
  readonly problems: readonly Problem[];
  /** What keeps turns of this machine from it; those of another one may have another access. */
  readonly warnings: readonly Problem[];
}

/**
 * Whether turns would find the branch that work starts from in a repository that is elsewhere. It is asked for by the access
 * that they would get.
 */
export async function checkRemote({ tracker, base }: Workflow, address: string): Promise<RemoteFindings> {
  const shown = address.replace(/\/\/[^/@]*@/, '//');
  const warn = (why: string): RemoteFindings => ({
    problems: [],
    warnings: [
      {
        rule: 'repository-reached',
        path: 'repository',
        message: `turns of this machine would not get to ${shown}: ${why}`,
      },
    ],
  });
  let token: GitToken | 'none';
  try {
    token = await machineGitHub()
      .gitTokens(async () => [tracker])
      .mint(address);
  } catch (error) {
    return warn((error as Error).message);
  }
  const found = await listBranches(address, token).finally(() => endToken(token));
  if ('problem' in found) {
    const { by, remedy } = describeAccess(token);
    return warn(`${by}, ${found.problem}${lacksAccess.includes(found.problem) ? `; ${remedy}` : ''}`);
  }
  if (found.branches.includes(base)) return { problems: [], warnings: [] };
  return { problems: [describeMissingBase(shown, base, found.branches)], warnings: [] };
}

function describeAccess(token: GitToken | 'none'): { readonly by: string; readonly remedy: string } {
  if (token === 'none')
    return {
      by: 'with the git access of the user of this machine',
      remedy: 'log git in there, or set GIT_TOKEN where it is at the host of the board',
    };
  return findGitHubIdentity()?.kind === 'app'
    ? { by: 'with a token of the GitHub App', remedy: 'let the App read and write contents there' }
    : { by: 'with GIT_TOKEN', remedy: 'put a token in its place that may read and write contents there' };
}

/** Longer than any host that answers takes. */
const patienceMs = 20_000;
const unanswered = 'its host did not answer';
const unread = 'it may not be read';
const unseen = 'there is no repository there, or it may not be seen';
const lacksAccess: readonly string[] = [unread, unseen];

async function listBranches(
  address: string,
  token: GitToken | 'none',
): Promise<{ readonly branches: readonly string[] } | { readonly problem: string }> {
  // In a session of its own it has no terminal to ask on.
  const git = spawn('git', ['ls-remote', '--heads', '--', address], {
    env: environmentOf(address, token),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // With whatever it has started, which would hold the pipes open.
  const end = setTimeout(() => process.kill(-git.pid!, 'SIGKILL'), patienceMs);
  try {
    const [stdout, stderr, [code]] = await Promise.all([
      text(git.stdout),
      text(git.stderr),
      once(git, 'close') as Promise<[number | null]>,
    ]);
    if (code !== 0) return { problem: code === null ? unanswered : readTrouble(stderr) };
    return { branches: stdout.split('\n').flatMap((line) => line.split('\trefs/heads/')[1] ?? []) };
  } catch (error) {
    return { problem: `git could not be started (${(error as NodeJS.ErrnoException).code})` };
  } finally {
    clearTimeout(end);
  }
}

/** A token goes through the environment of git alone, and then nothing else that the user is logged in with is used. */
function environmentOf(address: string, token: GitToken | 'none'): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(GIT|GITHUB)_/.test(name));
  const env = { ...Object.fromEntries(own), GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' };
  if (token === 'none') return env;
  const settings = [
    ['credential.helper', ''],
    [`credential.${new URL(address).origin}.helper`, helperOfToken],
    ['http.extraHeader', ''],
  ];
  const pairs = settings.flatMap(([key, value], n) => [
    [`GIT_CONFIG_KEY_${n}`, key],
    [`GIT_CONFIG_VALUE_${n}`, value],
  ]);
  return {
    ...env,
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(pairs),
    EVENKEEL_GIT_USERNAME: token.username,
    EVENKEEL_GIT_PASSWORD: token.password,
  };
}

/** A shell that git starts itself and that reads its environment. */
const helperOfToken = `!f() { test "$1" != get || printf 'username=%s\\npassword=%s\\n' "$EVENKEEL_GIT_USERNAME" "$EVENKEEL_GIT_PASSWORD"; }; f`;

const troubles: readonly (readonly [RegExp, string])[] = [
  [/could not resolve host|failed to connect|connection (refused|timed out|reset)/i, unanswered],
  [/could not read (username|password)|authentication failed|permission denied|403/i, unread],
  [/not found|not appear to be a git repository/i, unseen],
];

function readTrouble(stderr: string): string {
  const known = troubles.find(([pattern]) => pattern.test(stderr));
  return known?.[1] ?? 'git could not list its branches';
}

/** One that was made for this question has no other use; it ends by itself where it cannot be ended. */
async function endToken(token: GitToken | 'none'): Promise<void> {
  if (token === 'none' || token.revokeUrl === undefined) return;
  const headers = { authorization: `Bearer ${token.password}` };
  await fetch(token.revokeUrl, { method: 'DELETE', headers, signal: AbortSignal.timeout(5_000) }).catch(
    () => undefined,
  );
}
