import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { type StateName, stateKey, type TrackerState } from '../../core/issue.ts';
import { statesFile } from './board-folder.ts';

const name = z
  .string('a state is a name; put numbers and dates in quotes')
  .trim()
  .min(1)
  .regex(/^[^\p{Cc}]*$/u);
const schema = z.object({ states: z.array(name).min(1) });

/**
 * The board's states, as `states: [...]` in its board.yaml. A file has no ids: a state's id is its position, so that
 * renaming one in its place reads as a rename. Throws, saying how to mend it, when the file cannot be understood.
 */
export async function readStates(folder: string): Promise<readonly TrackerState[]> {
  const path = join(folder, statesFile);
  const found = await stat(path).catch((error) => tellMissing(folder, error));
  // Opening a pipe would wait for ever for somebody to write into it.
  if (!found.isFile()) throw new Error(`${path} is no regular file.`);
  const states = parseStates(await readFile(path, 'utf8').catch((error) => tellMissing(folder, error)));
  if ('problem' in states) {
    const why = states.problem === '' ? '' : ` (${states.problem})`;
    throw new Error(
      `${path} does not name the board's states${why}: write \`states: [Todo, In Progress, In Review, Done]\`.`,
    );
  }
  if (new Set(states.map(stateKey)).size < states.length) {
    throw new Error(`${path} names a state twice; names differ by more than case and spaces.`);
  }
  return states.map((state, position) => ({ id: String(position), name: state as StateName }));
}

/** Which of the two is missing decides what a person has to do. */
function tellMissing(folder: string, error: NodeJS.ErrnoException): never {
  if (error.code !== 'ENOENT') throw error;
  throw new Error(
    existsSync(folder)
      ? `${folder} (tracker.project) is no board: it has no ${statesFile}. Put one there that names the states, or mount the folder.`
      : `the board's folder ${folder} does not exist. Make or mount it, or correct tracker.project.`,
  );
}

function parseStates(text: string): readonly string[] | { readonly problem: string } {
  try {
    const parsed = schema.safeParse(parse(text, { logLevel: 'error' }));
    return parsed.data?.states ?? { problem: parsed.error?.issues.find(isTelling)?.message ?? '' };
  } catch (error) {
    // The first line says what and where; the others show the place.
    return { problem: (error as Error).message.split('\n')[0]!.replace(/:$/, '') };
  }
}

/** What the schema says of a name is written for people. */
function isTelling({ path }: z.core.$ZodIssue): boolean {
  return path.length === 2;
}
