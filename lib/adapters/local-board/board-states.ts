import { readFile } from 'node:fs/promises';
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
  const states = parseStates(await readFile(path, 'utf8'));
  if (states === undefined) {
    throw new Error(
      `${path} does not name the board's states: write \`states: [Todo, In Progress, In Review, Done]\`.`,
    );
  }
  if (new Set(states.map(stateKey)).size < states.length) {
    throw new Error(`${path} names a state twice; names differ by more than case and spaces.`);
  }
  return states.map((state, position) => ({ id: String(position), name: state as StateName }));
}

function parseStates(text: string): readonly string[] | undefined {
  try {
    return schema.safeParse(parse(text, { logLevel: 'error' })).data?.states;
  } catch {
    return undefined;
  }
}
