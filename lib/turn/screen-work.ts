import type { Work } from './collect-work.ts';
import { type Failure, GitFault, lastingFailure } from './failure.ts';
import type { Origin } from './fetch-repository.ts';
import { findSecret, findSecretIn, showPath } from './find-secret.ts';
import { largeFile, mostFileBytes } from './large-file.ts';
import { listChanges } from './list-changes.ts';
import { matchDenied } from './match-denied.ts';
import { type LinkTrouble, screenLinks } from './screen-links.ts';
import { hasUnfitModule } from './screen-modules.ts';
import type { Turn } from './turn.ts';

/**
 * Judges the new commits, each of them and not only their sum, before anything of them leaves this machine. Undefined when
 * nothing speaks against them. Throws when git cannot tell.
 */
export async function screenWork(turn: Turn, work: Work, origin: Origin): Promise<Failure | undefined> {
  const related = await turn.git.run(['merge-base', origin.baseSha, work.headSha]);
  if (!related.ok && related.code !== 1)
    throw new GitFault('the history of the commits could not be looked at', related);
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
  const { git, instructions } = turn;
  const isDenied = matchDenied(instructions.deny_paths);
  const changes = await listChanges(git, work);
  const denied = changes.find(({ path }) => isDenied(path));
  if (denied !== undefined) {
    return refuse(
      'forbidden-path',
      `The commits change ${showPath(turn, denied.path)}, which deny_paths forbids.`,
    );
  }
  const named = changes.find(({ path, mode }) => mode !== '000000' && findSecretIn(turn, path) !== undefined);
  if (named !== undefined) {
    return refuse('secret', `The commits add what looks like ${findSecretIn(turn, named.path)}.`);
  }
  const trouble = await screenLinks(git, work, changes, isDenied);
  if (trouble !== undefined) return refuseLink(trouble, showPath(turn, trouble.path));
  if (!(await hasUnfitModule(git, work, changes))) return undefined;
  return refuse(
    'unfit-submodule',
    'The file .gitmodules names a submodule that is a path or needs a program of its own; only addresses on the network can be delivered.',
  );
}

function refuseLink({ kind }: LinkTrouble, shown: string): Failure {
  switch (kind) {
    case 'leaves':
      return refuse('outside-link', `The link ${shown} leads out of the repository.`);
    case 'hides':
      return refuse('forbidden-path', `A link gives ${shown} a name that deny_paths forbids.`);
    case 'tangled':
      return refuse('forbidden-path', `More links lead to ${shown} than can be looked at for deny_paths.`);
  }
}

async function screenSizes(turn: Turn, work: Work): Promise<Failure | undefined> {
  const { git } = turn;
  const objects = await git.run(['rev-list', '--objects', work.headSha, ...work.known]);
  const asked = ['cat-file', '--batch-check=%(objecttype) %(objectsize) %(rest)'];
  const sizes = await git.run(asked, { input: `${objects.stdout}\n` });
  if (!objects.ok || !sizes.ok)
    throw new GitFault('the new objects could not be listed', objects.ok ? sizes : objects);
  for (const line of sizes.stdout.split('\n')) {
    const [, size, path = ''] = /^blob (\d+) ?(.*)$/.exec(line) ?? [];
    if (Number(size) > mostFileBytes) {
      return largeFile(showPath(turn, path));
    }
  }
  return undefined;
}

async function screenSecrets(turn: Turn, work: Work): Promise<Failure | undefined> {
  const found = await findSecret(turn, work);
  if (found === undefined) return undefined;
  const where = found.path === undefined ? '' : ` in ${showPath(turn, found.path)}`;
  return refuse('secret', `The commits add what looks like ${found.what}${where}.`);
}

function refuse(kind: string, detail: string): Failure {
  return lastingFailure('delivery', kind, detail);
}
