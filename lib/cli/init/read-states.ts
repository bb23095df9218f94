import { dirname } from 'node:path';
import type { TrackerState } from '../../core/issue.ts';
import { parseWorkflow } from '../../core/workflow.ts';
import { connectTracker } from '../../host/connect-tracker.ts';
import { placeWorkflow } from '../../host/read-workflow.ts';
import type { BoardAnswers } from './ask-board.ts';
import { writeWorkflow } from './write-workflow.ts';

/**
 * The states that a board has now, as a tick would read them. Throws, with what to do, when the board cannot be served
 * from this machine or does not tell them.
 */
export async function readBoardStates(board: BoardAnswers, file: string): Promise<readonly TrackerState[]> {
  // What the file will say of its states plays no part in reading the board's own.
  const draft = writeWorkflow({
    ...board,
    base: 'main',
    active: ['todo'],
    inProgress: undefined,
    handoff: undefined,
    terminal: [],
    command: 'true',
  });
  const parsed = parseWorkflow(draft, file);
  if ('problems' in parsed) throw new Error(inWords(parsed.problems));
  const placed = await placeWorkflow(parsed.workflow, dirname(file));
  if ('problems' in placed) throw new Error(inWords(placed.problems));
  try {
    return await connectTracker(parsed.workflow, placed.place, placed.repository).states();
  } catch (error) {
    throw new Error(`The states of the board could not be read: ${(error as Error).message}`);
  }
}

function inWords(problems: readonly { readonly message: string }[]): string {
  return problems.map(({ message }) => message).join('\n');
}
