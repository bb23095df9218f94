import { quietGitEnvironment, runGit } from './git.ts';

/** How the code host is reached, as environment variables of git: never in an argument, never in a file. */
export type GitAccess = Readonly<Record<string, string>>;

/** What of the user's own git configuration is needed to reach a repository. */
export type AccessSettings = readonly Setting[];
type Setting = readonly [key: string, value: string];

/**
 * Takes over from the user's own git configuration what is needed to reach a repository, and nothing else. It is read
 * once, before anything of the repository has run, so that nothing which an agent writes there later is used.
 */
export async function readAccessSettings(): Promise<AccessSettings> {
  return (await Promise.all(['--system', '--global'].map(readSettings))).flat();
}

/** As the user of this machine reaches it. */
export function accessOfMachine(settings: AccessSettings, repository: string): GitAccess {
  return configure([['core.sshCommand', 'ssh -o BatchMode=yes'], ...settings], repository);
}

/**
 * By a token, and by nothing of the user's that would be used in its place: only how the network is reached stays. The
 * token is told to nobody but the server of the repository.
 */
export function accessByToken(
  settings: AccessSettings,
  repository: string,
  { username, password }: { readonly username: string; readonly password: string },
): GitAccess {
  const ofNetwork = settings.filter(([key]) => /^http\./i.test(key) && !ofPerson.test(key));
  const helper: Setting = [`credential.${new URL(repository).origin}.helper`, helperOfToken];
  return {
    ...configure([...ofNetwork, helper], repository),
    EVENKEEL_GIT_USERNAME: username,
    EVENKEEL_GIT_PASSWORD: password,
  };
}

/** A shell that git starts itself and that reads its environment: no file, and no argument with a token. */
const helperOfToken = `!f() { test "$1" != get || printf 'username=%s\\npassword=%s\\n' "$EVENKEEL_GIT_USERNAME" "$EVENKEEL_GIT_PASSWORD"; }; f`;

const ofPerson = /\.(extraheader|cookiefile|savecookies|emptyauth)$/i;

function configure(settings: readonly Setting[], repository: string): GitAccess {
  const all: readonly Setting[] = [...settings, ['remote.origin.url', repository]];
  const pairs = all.flatMap(([key, value], n) => [
    [`GIT_CONFIG_KEY_${n}`, key],
    [`GIT_CONFIG_VALUE_${n}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(all.length), ...Object.fromEntries(pairs) };
}

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
