import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { hostedAddress, isHostedName } from '../adapters/github/endpoint.ts';

/**
 * What git is given for a repository as a workflow file names it: an address as it stands, a path made absolute from the
 * file's own folder, or the address at `codeHost` for `owner/repo`. A path that does not exist is a problem, named at once.
 */
export async function resolveRepository(
  name: string,
  fromFolder: string,
  codeHost = 'github.com',
): Promise<{ readonly address: string } | { readonly problem: string }> {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(name) || isScpLike(name)) return { address: name };
  const path = name.startsWith('~/') ? join(homedir(), name.slice(2)) : resolve(fromFolder, name);
  if (await exists(path)) return { address: path };
  const isPath = isAbsolute(name) || /^(~\/|\.\.?\/|\.\.?$)/.test(name);
  if (!isPath && isHostedName(name)) return { address: hostedAddress(codeHost, name) };
  return {
    problem: `there is no repository at ${path}; give owner/repo, a URL, or the path of a git repository`,
  };
}

/** `git@host:path`, the short form of an ssh address. */
function isScpLike(name: string): boolean {
  return /^[\w.-]+@[\w.-]+:/.test(name);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
