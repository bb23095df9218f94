import { quietGitEnvironment, runGit } from './git.ts';

/** How the code host is reached, as environment variables of git: never in an argument, never in a file. */
export type GitAccess = Readonly<Record<string, string>>;

/**
 * Takes over from the user's own git configuration what is needed to reach the repository, and nothing else. It is read
 * once, before anything of the repository has run, so that nothing which an agent writes there later is used.
 */
export async function readGitAccess(repository: string): Promise<GitAccess> {
  const ofUser = await Promise.all(['--system', '--global'].map(readSettings));
  const settings: readonly Setting[] = [
    ['core.sshCommand', 'ssh -o BatchMode=yes'],
    ...ofUser.flat(),
    ['remote.origin.url', repository],
  ];
  const pairs = settings.flatMap(([key, value], n) => [
    [`GIT_CONFIG_KEY_${n}`, key],
    [`GIT_CONFIG_VALUE_${n}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(pairs) };
}

type Setting = readonly [key: string, value: string];

const accessKeys = String.raw`^(credential\..*|http\..*|url\..*\.(insteadof|pushinsteadof)|core\.(sshcommand|gitproxy))$`;

async function readSettings(scope: string): Promise<readonly Setting[]> {
  const { PATH = '', HOME = '', XDG_CONFIG_HOME } = process.env;
  const xdg: GitAccess = XDG_CONFIG_HOME === undefined ? {} : { XDG_CONFIG_HOME };
  const { stdout } = await runGit(['config', scope, '--includes', '-z', '--get-regexp', accessKeys], {
    env: { ...quietGitEnvironment, PATH, HOME, ...xdg },
    timeoutMs: 10_000,
  });
  return stdout
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [key = '', ...value] = entry.split('\n');
      // A key without a value is git's way to say yes.
      return [key, value.length === 0 ? 'true' : value.join('\n')];
    });
}

/** The address as people and agents may see it. */
export function withoutCredentials(address: string): string {
  if (!/^[a-z+]+:\/\//i.test(address) || !URL.canParse(address)) return address;
  const url = new URL(address);
  if (url.password === '' && url.protocol !== 'https:' && url.protocol !== 'http:') return address;
  url.username = url.protocol === 'ssh:' ? url.username : '';
  url.password = '';
  return url.href;
}
