import { addCommand, type Cli, dataOption, run, workflowOption } from './command.ts';
import { switchBoards } from './pause.ts';

/** `resume [BOARD]`: the end of a pause. */
export function addResume(cli: Cli): void {
  addCommand(cli, {
    name: 'resume',
    summary: 'end a pause, on one board or on all',
    description: 'Ends a pause, on one board or on all: the next tick starts what the board asks for.',
    examples: ['evenkeel resume', 'evenkeel resume board'],
  })
    .argument('[board]', 'the name of one board, as `evenkeel plan` shows it')
    .addOption(dataOption())
    .addOption(workflowOption('the board, where no host is running that knows it'))
    .action(run(cli, (board: string | undefined, options) => switchBoards(cli, 'resumed', board, options)));
}
