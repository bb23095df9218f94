import { addCommand, type Cli, run } from './command.ts';
import { switchBoards } from './pause.ts';
import { addTargetOptions } from './target-options.ts';

/** `resume [BOARD]`: the end of a pause. */
export function addResume(cli: Cli): void {
  addTargetOptions(
    addCommand(cli, {
      name: 'resume',
      summary: 'end a pause, on one board or on all',
      description: 'Ends a pause, on one board or on all: the next tick starts what the board asks for.',
      examples: ['evenkeel resume', 'evenkeel resume board'],
    }).argument('[board]', 'the name of one board, as `plan` shows it'),
  ).action(run(cli, (board: string | undefined, options) => switchBoards(cli, 'resumed', board, options)));
}
