import { readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Instructions, instructionsSchema, turnFolderNames } from '../core/turn-protocol.ts';
import { collectWork, type Work } from './collect-work.ts';
import type { Origin } from './fetch-repository.ts';
import { keepWork } from './keep-work.ts';
import { readSmallFile } from './read-small-file.ts';
import { screenWork } from './screen-work.ts';
import type { Turn } from './turn.ts';
import { outcomePath } from './turn-folder.ts';
import { identify } from './workspace.ts';

/**
 * Keeps what earlier turns of this issue left in their workspaces on this machine because their turn program was killed
 * and could not: as work in progress, which the agent finds with the rest. Each is looked at once. Tells in sentences for
 * people where the work is. A turn has an end before the next one of its issue begins, so that nobody works there any more.
 */
export async function rescueWork(turn: Turn, origin: Origin): Promise<readonly string[]> {
  const notes: string[] = [];
  for (const root of await listUnfinished(turn)) {
    try {
      const note = await rescue(turn, origin, root);
      if (note !== undefined) notes.push(note);
    } catch (error) {
      turn.log('work of a turn that was killed could not be kept', { problem: (error as Error).message });
    }
  }
  return notes.slice(-mostNotes);
}

const mostNotes = 3;
const longestBytes = 1024 * 1024;

interface Unfinished {
  readonly root: string;
  readonly instructions: Instructions;
}

/** Folders beside this turn's of the same issue, in which no turn program left a result. */
async function listUnfinished({ folder, instructions: own }: Turn): Promise<readonly Unfinished[]> {
  const parent = dirname(folder.root);
  const names = await readdir(parent).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      const root = join(parent, name);
      const text = await readSmallFile(join(root, 'instructions.json'), longestBytes);
      const told = text === undefined ? undefined : parseInstructions(text);
      const isSame =
        told !== undefined &&
        told.turnId !== own.turnId &&
        told.board === own.board &&
        told.repository === own.repository &&
        told.branch === own.branch;
      if (!isSame || (await isDone(root))) return [];
      return [{ root, instructions: told }];
    }),
  );
  return found.flat().sort((a, b) => a.instructions.attempt - b.instructions.attempt);
}

async function isDone(root: string): Promise<boolean> {
  const signs = await Promise.all(
    [outcomePath(root), join(root, turnFolderNames.rescued), join(root, rescuedInPart)].map((path) =>
      readSmallFile(path, longestBytes),
    ),
  );
  return signs.some((text) => text !== undefined);
}

/** What could not be collected is still in that workspace, and stays there. */
const rescuedInPart = 'rescued-in-part.txt';

function parseInstructions(text: string): Instructions | undefined {
  try {
    return instructionsSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

async function rescue(
  turn: Turn,
  origin: Origin,
  { root, instructions }: Unfinished,
): Promise<string | undefined> {
  const workspace = join(root, turnFolderNames.workspace);
  const identity = await identify(workspace);
  // Without its repository nobody knows whether its files were ever checked out.
  if (identity === undefined || (await identify(join(workspace, '.git'))) === undefined) return undefined;
  const { attempt } = instructions;
  const earlier: Turn = {
    ...turn,
    folder: { ...turn.folder, workspace, workBundle: join(root, turnFolderNames.workBundle) },
    instructions: { ...turn.instructions, attempt, turnId: instructions.turnId },
  };
  const startSha = origin.expectedSha ?? origin.baseSha;
  const { work, failure, notes } = await collectWork(earlier, origin, { startSha, identity });
  if (failure !== undefined)
    turn.log('work of a turn that was killed is incomplete', { attempt, problem: failure.detail });
  if (work === undefined) return undefined;
  const isWhole = failure === undefined && notes.length === 0;
  const where = work.commits === 0 ? undefined : await keep(earlier, work, origin);
  if (work.commits > 0 && where === undefined) return undefined;
  const sign = join(root, isWhole ? turnFolderNames.rescued : rescuedInPart);
  await writeFile(sign, `${where ?? 'nothing'}\n`, { mode: 0o600 });
  return describeRescue(attempt, where, isWhole ? undefined : workspace)?.slice(0, 300);
}

/** The branch or the file in which the work is now. */
async function keep(earlier: Turn, work: Work, origin: Origin): Promise<string | undefined> {
  const isClean = (await screenWork(earlier, work, origin)) === undefined;
  const kept = await keepWork(earlier, work, isClean);
  if (kept === undefined) return undefined;
  if (!('wipBranch' in kept)) return kept.bundle;
  await earlier.git.run(['update-ref', `refs/heads/${kept.wipBranch}`, work.headSha]);
  return kept.wipBranch;
}

/** `rest` is the workspace that still holds what could not be collected. */
function describeRescue(
  attempt: number,
  where: string | undefined,
  rest: string | undefined,
): string | undefined {
  const subject = `The work of attempt ${attempt}, which was killed, is`;
  if (where === undefined) return rest === undefined ? undefined : `${subject} still in ${rest}.`;
  return rest === undefined
    ? `${subject} kept in ${where}.`
    : `${subject} kept in ${where}; some of it is still in ${rest}.`;
}
