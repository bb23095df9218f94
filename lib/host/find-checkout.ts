import { execFile } from 'node:child_process';

/** A git repository on this machine, as far as a workflow file would name it. */
export interface Checkout {
  /** `owner/repo`, where its remote `origin` is at this code host. */
  readonly hosted: string | undefined;
  /** The branch that is checked out, or that a bare repository points to; undefined for a detached one. */
  readonly branch: string | undefined;
  /** The branch that new work of `origin` starts from, as the last clone or fetch told it. */
  readonly originBase: string | undefined;
}

/** What git says of a folder; undefined where it is in no repository. Nothing is asked of another machine. */
export async function findCheckout(folder: string, codeHost: string): Promise<Checkout | undefined> {
  const git = (...args: readonly string[]) => runGit(folder, args);
  if ((await git('rev-parse', '--git-dir')) === undefined) return undefined;
  const [origin, branch, originHead] = await Promise.all([
    git('config', '--get', 'remote.origin.url'),
    git('symbolic-ref', '--short', '--quiet', 'HEAD'),
    git('symbolic-ref', '--short', '--quiet', 'refs/remotes/origin/HEAD'),
  ]);
  return {
    hosted: origin === undefined ? undefined : hostedName(origin, codeHost),
    branch,
    originBase: originHead?.replace(/^origin\//, ''),
  };
}

/** The `owner/repo` that an address names at a code host: by https, by ssh, or in the short form of an ssh address. */
function hostedName(address: string, codeHost: string): string | undefined {
  const short = /^[\w.-]+@([\w.-]+):(.+)$/.exec(address);
  const [host, path] =
    short !== null
      ? [short[1], short[2]]
      : URL.canParse(address)
        ? [new URL(address).hostname, new URL(address).pathname.slice(1)]
        : [];
  const [, name] = /^([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/.exec(path ?? '') ?? [];
  const wanted = new URL(`https://${codeHost}`).hostname;
  return host?.toLowerCase() === wanted.toLowerCase() ? name : undefined;
}

/** Its first line; undefined when it fails or says nothing. */
async function runGit(folder: string, args: readonly string[]): Promise<string | undefined> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
  return new Promise((resolve) => {
    execFile('git', ['-C', folder, ...args], { env }, (error, stdout) => {
      const [line = ''] = stdout.split('\n');
      resolve(error === null && line !== '' ? line : undefined);
    });
  });
}
