import { dirname } from 'node:path';
import { execa } from 'execa';
import { armCut, type CutReason } from './cut.ts';
import { isDiskFull } from './full-disk.ts';
import type { GitAccess } from './git-access.ts';
import type { Command } from './mark-command.ts';
import { ownRepository } from './own-repository.ts';
import type { RepositoryAccess } from './repository-access.ts';

export interface GitEnd {
  readonly ok: boolean;
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** Set when git did not end by itself. */
  readonly cut: CutReason | undefined;
  /** Whether the disk was full when git failed. */
  readonly isDiskFull?: boolean;
}

export interface GitOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** The file that standard input comes from, instead of `input`. */
  readonly inputFile?: string;
  readonly cwd?: string;
  /** The file that standard output goes into, instead of into the answer. */
  readonly output?: string;
  /** Gets standard output as it comes, instead of the answer. */
  readonly onStdout?: (chunk: Uint8Array) => void;
  /** The command to start in place of git itself. */
  readonly as?: (git: Command) => Command;
}

/** Git with the turn program's authority. It never runs with a configuration that an agent wrote. */
export interface Git {
  /** Makes the turn program's own bare repository, with this initial branch. */
  make(base: string): Promise<GitEnd>;
  /** In the turn program's own bare repository. */
  run(args: readonly string[], options?: GitOptions): Promise<GitEnd>;
  /** The same with access to the code host, whose name here is `origin`. */
  contact(args: readonly string[], options: GitOptions): Promise<GitEnd>;
  /** In no repository at all. */
  plain(args: readonly string[], options?: GitOptions): Promise<GitEnd>;
}

export interface GitSettings {
  readonly gitDir: string;
  readonly cookie: string;
  readonly access: RepositoryAccess;
  readonly timeoutMs: number;
  /** Cuts every command that has no signal of its own. */
  readonly signal: AbortSignal;
  /** What stands over variables that git would inherit. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The turn program's git. No call throws for what git says; a git that is not there is said so in `stderr`. */
export function turnGit({ gitDir, cookie, access, timeoutMs, signal, ...more }: GitSettings): Git {
  const env = { ...trustedEnvironment(), ...more.env, EVENKEEL_COOKIE: cookie };
  const repository = ownRepository(gitDir);
  const start = async (args: readonly string[], options: GitOptions, extra: GitAccess = {}) => {
    const end = await runGit([...safeSettings, ...args], {
      timeoutMs,
      signal,
      ...options,
      env: { ...env, ...extra, ...options.env },
    });
    return end.ok ? end : { ...end, isDiskFull: isDiskFull(dirname(gitDir)) };
  };
  const startIn = async (
    args: readonly string[],
    options: GitOptions,
    extra?: GitAccess,
  ): Promise<GitEnd> => {
    const problem = repository.restore();
    if (problem !== undefined)
      return { ok: false, code: undefined, stdout: '', stderr: `fatal: ${problem}`, cut: undefined };
    return start([`--git-dir=${gitDir}`, ...args], options, extra);
  };
  return {
    async make(base) {
      const made = await start(
        ['init', '--quiet', '--bare', '--template=', `--initial-branch=${base}`, gitDir],
        {},
      );
      if (made.ok) repository.note();
      return made;
    },
    run: (args, options = {}) => startIn(args, options),
    contact: (args, options) =>
      access.use((gitAccess) => startIn(args, options, gitAccess), options.signal ?? signal),
    plain: (args, options = {}) => start(args, options),
  };
}

/** Runs git with exactly this environment; `-c` settings that keep it from starting other programs are the caller's. */
export async function runGit(
  args: readonly string[],
  options: GitOptions & { readonly env: Readonly<Record<string, string>> },
): Promise<GitEnd> {
  const { cwd, input, inputFile, output, onStdout, timeoutMs, signal, as = (git: Command) => git } = options;
  const command = as({ file: 'git', args });
  const running = execa(command.file, command.args, {
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...options.env },
    extendEnv: false,
    // A group of its own: no signal that we get as a group cuts a push in half, and a cut reaches its helpers too.
    detached: true,
    cleanup: false,
    reject: false,
    ...(command.uid === undefined ? {} : { uid: command.uid }),
    ...(command.gid === undefined ? {} : { gid: command.gid }),
    ...(inputFile !== undefined
      ? { stdin: { file: inputFile } }
      : input === undefined
        ? { stdin: 'ignore' }
        : { input }),
    ...(output === undefined ? {} : { stdout: { file: output } }),
    ...(onStdout === undefined ? {} : { buffer: { stdout: false } }),
    maxBuffer: 256 * 1024 * 1024,
  });
  if (onStdout !== undefined) running.stdout?.on('data', onStdout);
  const cut = armCut({ group: running.pid, timeoutMs, signal });
  const end = await Promise.race([running, cut.late]);
  cut.disarm();
  if (cut.why() !== undefined) await cut.late;
  if (typeof end !== 'object') return { ok: false, code: undefined, stdout: '', stderr: '', cut: cut.why() };
  return {
    ok: !end.failed,
    code: end.exitCode,
    stdout: typeof end.stdout === 'string' ? end.stdout : '',
    stderr: typeof end.stderr === 'string' && end.stderr !== '' ? end.stderr : (end.originalMessage ?? ''),
    cut: cut.why(),
  };
}

/** No hook, no monitor, no helper transport and no background work, whatever a repository says. */
export const safeSettings: readonly string[] = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.quotePath=false',
  'protocol.ext.allow=never',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'gc.auto=0',
  'maintenance.auto=false',
].flatMap((setting) => ['-c', setting]);

/** Texts in English, since they are read; no question is ever asked. */
export const quietGitEnvironment: Readonly<Record<string, string>> = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'false',
  SSH_ASKPASS: 'false',
  GCM_INTERACTIVE: 'never',
  GIT_LFS_SKIP_SMUDGE: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_OPTIONAL_LOCKS: '0',
  LC_ALL: 'C',
};

/** Besides: nobody's configuration but that of the command and of the repository. */
export const neutralGitEnvironment: Readonly<Record<string, string>> = {
  ...quietGitEnvironment,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
};

function trustedEnvironment(): Record<string, string> {
  const inherited = inheritedNames.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(inherited), ...neutralGitEnvironment };
}

/** What git and its transports need to reach the code host as the user would. */
const inheritedNames: readonly string[] = [
  'PATH',
  'HOME',
  'USER',
  'SSH_AUTH_SOCK',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'all_proxy',
  'no_proxy',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'GIT_SSL_CAINFO',
];
