import { execFile } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import type { Workflow } from '../core/workflow.ts';

/**
 * The workflow, which forbids work on its own file where that lies in a checkout of the repository that is worked on: an
 * agent's branch that a person checks out there must not bring another policy with it.
 */
export async function denyOwnFile(workflow: Workflow, file: string, repository: string): Promise<Workflow> {
  // A link is followed by whoever reads the file, and is itself a file that a branch may change.
  const paths = await Promise.all([
    realpath(dirname(file)).then((folder) => join(folder, basename(file))),
    realpath(file),
  ]).catch(() => []);
  const found = await Promise.all([...new Set(paths)].map((path) => findInCheckout(path, repository)));
  const denied = found.flatMap((path) => path?.replace(/[\\*?[\]{}()!+@|]/g, '\\$&') ?? []);
  return denied.length === 0 ? workflow : { ...workflow, deny_paths: [...workflow.deny_paths, ...denied] };
}

/** The file's path in a checkout of the repository; undefined where it lies elsewhere. */
async function findInCheckout(file: string, repository: string): Promise<string | undefined> {
  const [top] = await askGit(dirname(file), ['rev-parse', '--show-toplevel']);
  if (top === undefined || !(await isCheckoutOf(top, repository))) return undefined;
  return relative(await realpath(top), file)
    .split(sep)
    .join('/');
}

/** A folder of the repository's own, another working tree of it, or a clone that has it as a remote. */
async function isCheckoutOf(top: string, repository: string): Promise<boolean> {
  const common = ['rev-parse', '--path-format=absolute', '--git-common-dir'];
  const [[own], [other]] = await Promise.all([askGit(top, common), askGit(repository, common)]);
  if (own !== undefined && own === other) return true;
  const remotes = await askGit(top, ['config', '--get-regexp', String.raw`^remote\..*\.url$`]);
  const addresses = await Promise.all(
    [repository, ...remotes.map((line) => line.replace(/^\S+ /, ''))].map(plain),
  );
  return addresses.slice(1).includes(addresses[0]!);
}

/** One form for the spellings of an address. */
async function plain(address: string): Promise<string> {
  const path = await realpath(address).catch(() => undefined);
  if (path !== undefined) return path;
  const bare = address.replace(/\/+$/, '').replace(/\.git$/, '');
  return bare.replace(/^(?:\w+:\/\/)?(?:[^@/]*@)?([\w.-]+)(?::\d+)?[:/]/, '$1/').toLowerCase();
}

/** The lines of its answer; none where it fails, or where the folder is none. */
async function askGit(folder: string, args: readonly string[]): Promise<readonly string[]> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
  return new Promise((resolve) => {
    execFile('git', ['-C', folder, ...args], { env }, (error, stdout) => {
      resolve(error === null ? stdout.split('\n').filter((line) => line !== '') : []);
    });
  });
}
