import type { Work } from './collect-work.ts';
import { type Failure, lastingFailure } from './failure.ts';
import type { Origin } from './fetch-repository.ts';
import { findSecret } from './find-secret.ts';
import { listChanges } from './list-changes.ts';
import { matchDenied } from './match-denied.ts';
import type { Turn } from './turn.ts';

const mostBlobBytes = 50 * 1024 * 1024;

/**
 * Judges the new commits, each of them and not only their sum, before anything of them leaves this machine. Undefined when
 * nothing speaks against them. Throws when git cannot tell.
 */
export async function screenWork(turn: Turn, work: Work, origin: Origin): Promise<Failure | undefined> {
  const related = await turn.git.run(['merge-base', origin.baseSha, work.headSha]);
  if (!related.ok) {
    return refuse(
      'unrelated-history',
      `The commits have no history in common with ${turn.instructions.base}.`,
    );
  }
  return (
    (await screenPaths(turn, work)) ?? (await screenSizes(turn, work)) ?? (await screenSecrets(turn, work))
  );
}

async function screenPaths(turn: Turn, work: Work): Promise<Failure | undefined> {
  const isDenied = matchDenied(turn.instructions.deny_paths);
  for (const { path, mode, sha } of await listChanges(turn.git, work)) {
    if (isDenied(path))
      return refuse('forbidden-path', `The commits change ${show(path)}, which deny_paths forbids.`);
    if (mode === '120000' && (await leavesTree(turn, path, sha))) {
      return refuse('outside-link', `The link ${show(path)} leads out of the repository.`);
    }
  }
  return undefined;
}

async function leavesTree({ git }: Turn, path: string, sha: string): Promise<boolean> {
  const { stdout: target, ok } = await git.run(['cat-file', 'blob', sha]);
  if (!ok) throw new Error('a link could not be read');
  if (target.startsWith('/')) return true;
  let depth = path.split('/').length - 1;
  for (const part of target.split('/')) {
    if (part === '..') depth -= 1;
    else if (part !== '' && part !== '.') depth += 1;
    if (depth < 0) return true;
  }
  return false;
}

async function screenSizes({ git }: Turn, work: Work): Promise<Failure | undefined> {
  const objects = await git.run(['rev-list', '--objects', work.headSha, ...work.known]);
  const asked = ['cat-file', '--batch-check=%(objecttype) %(objectsize) %(rest)'];
  const sizes = await git.run(asked, { input: `${objects.stdout}\n` });
  if (!objects.ok || !sizes.ok) throw new Error('the new objects could not be listed');
  for (const line of sizes.stdout.split('\n')) {
    const [, size, path = ''] = /^blob (\d+) ?(.*)$/.exec(line) ?? [];
    if (Number(size) > mostBlobBytes) {
      return refuse('large-file', `The file ${show(path)} is larger than ${mostBlobBytes / 1024 / 1024} MB.`);
    }
  }
  return undefined;
}

async function screenSecrets(turn: Turn, work: Work): Promise<Failure | undefined> {
  const found = await findSecret(turn, work);
  if (found === undefined) return undefined;
  const where = found.path === undefined ? '' : ` in ${show(found.path)}`;
  return refuse('secret', `The commits add what looks like ${found.what}${where}.`);
}

function refuse(kind: string, detail: string): Failure {
  return lastingFailure('delivery', kind, detail);
}

/** A path is the agent's text: one line of it, and not a long one. */
function show(path: string): string {
  return JSON.stringify(path.slice(0, 200));
}
