import type { Turn } from './turn.ts';

/**
 * The whole environment of hooks, gates and the agent: a list of what is allowed, not of what is not. The home folder
 * stays the user's own on one machine, so that tools which are set up or logged in there work; it is as open to the agent
 * as to every other program of this user. A user of the agent's own has a home of its own.
 */
export function childEnvironment({
  environment,
  folder,
  user,
}: Pick<Turn, 'environment' | 'folder' | 'user'>): Record<string, string> {
  const inherited = ['PATH', 'HOME', 'LANG', 'LC_ALL'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(inherited),
    ...(user === undefined ? {} : { HOME: user.home }),
    TMPDIR: folder.temporary,
    TERM: 'dumb',
    CI: '1',
    NO_COLOR: '1',
    GIT_TERMINAL_PROMPT: '0',
    EVENKEEL_COOKIE: environment.cookie,
  };
}

/** The agent gets its model key besides, and is told where its prompt lies and where it may report. */
export function agentEnvironment(
  turn: Pick<Turn, 'environment' | 'folder' | 'user'>,
): Record<string, string> {
  return {
    ...turn.environment.passed,
    ...childEnvironment(turn),
    EVENKEEL_PROMPT_FILE: turn.folder.prompt,
    EVENKEEL_RESULT_FILE: turn.folder.selfReport,
  };
}
