import { realpathSync, type Stats, statSync } from 'node:fs';
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

/**
 * Whether this user can neither change the folder nor put another one in its place, as it could wherever it may change a
 * folder on the way. In a folder like `/tmp` everybody may make new entries, and nobody may move those of others.
 */
export function isOutOfReach(user: AgentUser, folder: string): boolean {
  try {
    const [last, ...way] = listWay(realpathSync(folder)).map((path) => statSync(path));
    const isShared = ({ uid, mode }: Stats) => uid !== user.uid && (mode & 0o1000) !== 0;
    return (
      last !== undefined &&
      !mayChange(user, last) &&
      way.every((one) => !mayChange(user, one) || isShared(one))
    );
  } catch {
    return false;
  }
}

function listWay(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...listWay(above)];
}
