import { realpathSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { delimiter, dirname } from 'node:path';
import { type AgentUser, mayChange } from './agent-user.ts';

/**
 * Where the turn program's own programs are looked for and have their home, without what the agent could change: an image
 * may name folders of the agent's user there.
 */
export function keepOutOfReach(user: AgentUser, env: NodeJS.ProcessEnv): { PATH: string; HOME: string } {
  const { PATH = '', HOME = '' } = env;
  return {
    PATH: PATH.split(delimiter)
      .filter((folder) => isOutOfReach(user, folder))
      .join(delimiter),
    HOME: isOutOfReach(user, HOME) ? HOME : userInfo().homedir,
  };
}

/** Whoever can change a folder on the way to it can put another one in its place. */
function isOutOfReach(user: AgentUser, folder: string): boolean {
  try {
    return listWay(realpathSync(folder)).every((path) => !mayChange(user, statSync(path)));
  } catch {
    return false;
  }
}

function listWay(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...listWay(above)];
}
