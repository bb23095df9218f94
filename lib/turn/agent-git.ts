import { join } from 'node:path';
import { childEnvironment } from './child-environment.ts';
import { isDiskFull } from './full-disk.ts';
import {
  type GitEnd,
  type GitOptions,
  neutralGitEnvironment,
  quietGitEnvironment,
  runGit,
  safeSettings,
} from './git.ts';
import type { Turn } from './turn.ts';

/**
 * Git with no more authority than the agent has, for repositories that are the agent's. What it prints is the agent's word,
 * and what it leaves running is reaped by the caller.
 */
export async function runAgentGit(
  turn: Turn,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitEnd> {
  const end = await runGit([...safeSettings, ...args], {
    timeoutMs: turn.timing.gitMs,
    signal: turn.stop.hurry,
    ...options,
    as: turn.family.mark,
    env: { ...childEnvironment(turn), ...neutralGitEnvironment, ...options.env },
  });
  return end.ok ? end : { ...end, isDiskFull: isDiskFull(turn.folder.root) };
}

/** The same in the workspace, where the agent may have planted whatever makes git start programs. */
export function runInWorkspace(
  turn: Turn,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitEnd> {
  const { workspace } = turn.folder;
  const inRepository = [`--git-dir=${join(workspace, '.git')}`, `--work-tree=${workspace}`];
  return runAgentGit(turn, [...inRepository, ...args], { cwd: workspace, ...options });
}

/**
 * What decides about the ends of lines in the agent's repository, its user's own settings included, as arguments of git:
 * its files are to be taken as its own git would take them.
 */
export async function readLineEndings(turn: Turn): Promise<readonly string[]> {
  const { workspace } = turn.folder;
  const env = { ...childEnvironment(turn), ...quietGitEnvironment };
  const settings = await Promise.all(
    lineEndings.map(async ([key, known]) => {
      const args = [...safeSettings, `--git-dir=${join(workspace, '.git')}`, 'config', '--get', key];
      const { stdout } = await runGit(args, {
        env,
        cwd: workspace,
        as: turn.family.mark,
        timeoutMs: 10_000,
        signal: turn.stop.hurry,
      });
      const value = stdout.trim();
      return known.test(value) ? ['-c', `${key}=${value}`] : [];
    }),
  );
  return settings.flat();
}

const lineEndings = [
  ['core.autocrlf', /^(true|yes|on|1|input)$/i],
  ['core.eol', /^(lf|crlf|native)$/i],
] as const;
