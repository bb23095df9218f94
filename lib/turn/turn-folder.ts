import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { turnFolderNames as names } from '../core/turn-protocol.ts';

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
  readonly index: string;
  log(name: string): string;
}

/** Lays the turn's folder out; what is there already stays. */
export async function layOutFolder(root: string): Promise<TurnFolder> {
  for (const folder of ['io', 'out', names.temporary])
    await mkdir(join(root, folder), { recursive: true, mode: 0o700 });
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
    index: join(root, 'collect.index'),
    log: (name) => join(root, 'out', `${name}.log`),
  };
}

/** Where the runner looks for the result of a turn that could tell it to nobody. */
export function outcomePath(root: string): string {
  return join(root, names.outcome);
}
