import { chmod, chown, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { turnFolderNames as names } from '../core/turn-protocol.ts';
import { type AgentUser, readersGid } from './agent-user.ts';

/** Where everything of a turn lies. */
export interface TurnFolder {
  readonly root: string;
  /** The turn program's own bare repository: fetched into, screened, pushed from. No command of the agent's runs here. */
  readonly repository: string;
  /** The agent's checkout. Git runs in it under the agent's authority only. */
  readonly workspace: string;
  /** A checkout of the finished work, for the gates. */
  readonly gates: string;
  readonly prompt: string;
  /** The agent's own report; it may write it or not. */
  readonly selfReport: string;
  readonly temporary: string;
  readonly instructions: string;
  readonly outcome: string;
  /** Work that could not be pushed anywhere. */
  readonly workBundle: string;
  /** Bundles on their way between the two repositories. */
  readonly handover: string;
  /** Where the files of the workspace become a tree; there only meanwhile. */
  readonly staging: string;
  log(name: string): string;
}

/**
 * Lays the turn's folder out; what is there already stays. A user of the agent's own may go through it and owns what is the
 * agent's; the rest is closed to it. The turn program's repository may be read by its group.
 */
export async function layOutFolder(root: string, user?: AgentUser): Promise<TurnFolder> {
  await mkdir(join(root, 'out'), { recursive: true, mode: 0o700 });
  for (const name of ['io', names.temporary]) await lendFolder(join(root, name), user, 0o700);
  if (user !== undefined) {
    await chmod(root, 0o711);
    await mkdir(join(root, names.repository), { recursive: true, mode: 0o750 });
    await chown(join(root, names.repository), 0, readersGid);
    if (dirname(user.home) === root) await lendFolder(user.home, user, 0o700);
  }
  return {
    root,
    repository: join(root, names.repository),
    workspace: join(root, names.workspace),
    gates: join(root, names.gates),
    prompt: join(root, 'io', 'prompt.md'),
    selfReport: join(root, 'io', 'result.json'),
    temporary: join(root, names.temporary),
    instructions: join(root, 'instructions.json'),
    outcome: outcomePath(root),
    workBundle: join(root, names.workBundle),
    handover: join(root, names.handover),
    staging: join(root, 'staging'),
    log: (name) => join(root, 'out', `${name}.log`),
  };
}

/** Where the runner looks for the result of a turn that could tell it to nobody. */
export function outcomePath(root: string): string {
  return join(root, names.outcome);
}

/** Makes a folder in which the agent may do as it likes; one that is there already stays. */
export async function lendFolder(path: string, user: AgentUser | undefined, mode = 0o755): Promise<void> {
  await mkdir(path, { recursive: true, mode });
  await lend(path, user);
}

/** Gives a file or a folder of the turn program's to the agent. */
export async function lend(path: string, user: AgentUser | undefined): Promise<void> {
  if (user !== undefined) await chown(path, user.uid, user.gid);
}
