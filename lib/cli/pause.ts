import type { Operations } from '../controller/operations.ts';
import { writeText } from './cli-context.ts';
import { addCommand, type Cli, run } from './command.ts';
import { commandsFor } from './commands-for.ts';
import { formatJson, harmlessLine } from './harmless-text.ts';
import { addTargetOptions } from './target-options.ts';
import { type Target, withOperations } from './with-operations.ts';

/** `pause [BOARD]`: nothing starts any more; what runs goes on. */
export function addPause(cli: Cli): void {
  addTargetOptions(
    addCommand(cli, {
      name: 'pause',
      summary: 'start nothing on one board or on all; what runs goes on',
      description:
        'From now on nothing starts, on one board or on all. What runs goes on and is settled. The pause outlives the host.',
      examples: ['evenkeel pause', 'evenkeel pause board'],
    }).argument('[board]', 'the name of one board, as `plan` shows it'),
  ).action(run(cli, (board: string | undefined, options) => switchBoards(cli, 'paused', board, options)));
}

/** Pauses or resumes, and says which boards are concerned. */
export async function switchBoards(
  { context }: Cli,
  to: 'paused' | 'resumed',
  board: string | undefined,
  options: Target & { readonly json?: boolean },
): Promise<0 | 1> {
  const change = (operations: Operations) =>
    to === 'paused' ? operations.pause(board) : operations.resume(board);
  const boards = await withOperations(context, options, change);
  if (options.json) writeText(context.stdout, formatJson({ [to]: boards }));
  if (boards.length === 0) {
    throw new Error(
      board === undefined
        ? 'There is no board. Name its workflow file with --workflow.'
        : `No board is called ${harmlessLine(board)}. \`${commandsFor(options, context.env)('plan')}\` shows the names of the boards.`,
    );
  }
  const verb = to === 'paused' ? 'Paused' : 'Resumed';
  if (!options.json) writeText(context.stdout, `${verb} ${boards.map(harmlessLine).join(', ')}.`);
  return 0;
}
