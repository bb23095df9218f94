import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { codeHostOf } from '../adapters/github/endpoint.ts';
import type { Problem } from '../core/contract.ts';
import type { Workflow } from '../core/workflow.ts';
import { resolveRepository } from './repository-address.ts';

/** Whether a repository on this machine has the branch that work starts from; one that is elsewhere is not asked here. */
export async function checkBase(
  { repository, base, tracker }: Workflow,
  fromFolder: string,
): Promise<readonly Problem[]> {
  const found = await resolveRepository(repository, fromFolder, codeHostOf(tracker.endpoint));
  if ('problem' in found || !existsSync(found.address)) return [];
  const { address } = found;
  const refs = await listBranches(address);
  if (refs === undefined) {
    const message = `git finds no repository at ${address}; give owner/repo, a URL, or the path of a git repository`;
    return [{ rule: 'repository-exists', path: 'repository', message }];
  }
  return refs.includes(base) ? [] : [describeMissingBase(address, base, refs)];
}

/** `branches` are those that there are. */
export function describeMissingBase(repository: string, base: string, branches: readonly string[]): Problem {
  const has =
    branches.length === 0 ? 'it has no branch yet: commit something first' : `it has ${listSome(branches)}`;
  const message = `base: the repository ${repository} has no branch ${base} to start from; ${has}`;
  return { rule: 'base-exists', path: 'base', message };
}

/** Undefined when git cannot read it. */
async function listBranches(address: string): Promise<readonly string[] | undefined> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
  const text = await new Promise<string | undefined>((resolve) => {
    execFile('git', ['ls-remote', '--heads', '--', address], { env, maxBuffer: 64 << 20 }, (error, stdout) =>
      resolve(error === null ? stdout : undefined),
    );
  });
  return text?.split('\n').flatMap((line) => line.split('\trefs/heads/')[1] ?? []);
}

function listSome(names: readonly string[]): string {
  const shown = [...names].sort((a, b) => a.length - b.length).slice(0, 5);
  return `${shown.join(', ')}${names.length > shown.length ? ' and others' : ''}`;
}
