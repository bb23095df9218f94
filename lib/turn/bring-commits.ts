import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runInWorkspace } from './agent-git.ts';
import { agentGitFailure, type Failure, gitFailure } from './failure.ts';
import type { Origin } from './fetch-repository.ts';
import { reap } from './reap.ts';
import type { Turn } from './turn.ts';
import { identify, type Workspace } from './workspace.ts';

/**
 * Brings what the agent committed over into the turn program's repository and tells which commit is the agent's latest.
 * What counts is where the agent's HEAD stands, on whatever branch or on none. The commits cross as a bundle that is made
 * with the agent's authority and checked object by object with ours.
 */
export async function bringCommits(
  turn: Turn,
  origin: Origin,
  { startSha }: Workspace,
): Promise<string | Failure> {
  // Without a repository of its own there are no commits, only files.
  if ((await identify(join(turn.folder.workspace, '.git'))) === undefined) return startSha;
  try {
    return await carryOver(turn, origin, startSha);
  } finally {
    await reap(turn.family, { graceMs: 0, hurry: turn.stop.hurry });
  }
}

async function carryOver(turn: Turn, origin: Origin, startSha: string): Promise<string | Failure> {
  const { git, folder, timing } = turn;
  const told = await runInWorkspace(turn, [
    'rev-parse',
    '--verify',
    '--quiet',
    '--end-of-options',
    'HEAD^{commit}',
  ]);
  const claimed = /^[0-9a-f]{40,64}$/.exec(told.stdout.trim())?.[0];
  if (claimed === undefined) return startSha;
  if ((await git.run(['cat-file', '-e', `${claimed}^{commit}`])).ok) return claimed;

  const known = [startSha, origin.baseSha].map((sha) => `^${sha}`);
  const create = ['bundle', 'create', '--quiet', '-', 'HEAD'];
  // A link or a pipe in its place would lead elsewhere, or hold us up.
  await rm(folder.handover, { recursive: true, force: true });
  const transfer = { output: folder.handover, timeoutMs: timing.fetchMs };
  const made = await runInWorkspace(turn, [...create, ...known], transfer);
  // The agent may have thrown away the commits that it started from.
  const whole = made.ok ? made : await runInWorkspace(turn, create, transfer);
  if (!whole.ok) return agentGitFailure(broken, tell("the agent's commits could not be read"), whole);

  const verified = await git.run(['bundle', 'verify', '--quiet', folder.handover]);
  if (!verified.ok)
    return gitFailure(broken, tell("the agent's commits lean on commits that are missing"), verified);
  const quiet = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'];
  const fetch = ['-c', 'transfer.fsckObjects=true', 'fetch', ...quiet, folder.handover, `+HEAD:${agentRef}`];
  const fetched = await git.run(fetch, { timeoutMs: timing.fetchMs });
  if (!fetched.ok)
    return gitFailure(broken, tell("the agent's commits hold an object that git refuses"), fetched);
  const brought = await git.run(['rev-parse', '--verify', agentRef]);
  if (!brought.ok) return gitFailure(broken, tell("the agent's commits were not taken over"), brought);
  return brought.stdout.trim();
}

const agentRef = 'refs/evenkeel/agent';

const broken = 'broken-commits';

function tell(what: string): string {
  return `The work could not be collected: ${what}. It is still in the workspace.`;
}
