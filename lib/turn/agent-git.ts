import { join } from 'node:path';
import { childEnvironment } from './child-environment.ts';
import { type GitEnd, type GitOptions, neutralGitEnvironment, runGit, safeSettings } from './git.ts';
import type { Turn } from './turn.ts';

/**
 * Git in the agent's own repository, with no more authority than the agent has: the agent may have planted there whatever
 * makes git start programs. What it prints is the agent's word, and what it leaves running is reaped by the caller.
 */
export function runAgentGit(turn: Turn, args: readonly string[], options: GitOptions = {}): Promise<GitEnd> {
  const { workspace } = turn.folder;
  const inRepository = [`--git-dir=${join(workspace, '.git')}`, `--work-tree=${workspace}`];
  return runGit([...safeSettings, ...inRepository, ...args], {
    timeoutMs: turn.timing.gitMs,
    signal: turn.stop.hurry,
    cwd: workspace,
    ...options,
    as: turn.family.mark,
    env: { ...childEnvironment(turn), ...neutralGitEnvironment },
  });
}
