import type { TrackerState } from '../../core/issue.ts';
import { askBoard, type BoardAnswers } from './ask-board.ts';
import { askStates, newBoardStates } from './ask-states.ts';
import { type Asker, LeftError } from './asker.ts';
import type { InitOptions } from './init-options.ts';
import { describeMaking, findMissing, statesToCome } from './missing-states.ts';
import { readBoardStates } from './read-states.ts';
import type { SuggestedRoles } from './usual-states.ts';
import { type WorkflowAnswers, writeWorkflow } from './write-workflow.ts';

/** What is to be written, and the states that it was chosen from. */
export interface Interview {
  readonly text: string;
  readonly states: readonly TrackerState[];
  /** A folder that is made a board, with these states. */
  readonly newFolder: string | undefined;
}

/** Asks everything that a workflow file needs. Nothing is written; `tell` shows a line to the person. */
export async function interview(
  asker: Asker,
  options: InitOptions,
  { cwd, file, tell }: { readonly cwd: string; readonly file: string; readonly tell: (text: string) => void },
): Promise<Interview> {
  const board = await askBoard(asker, options, cwd, file);
  if (options.states !== undefined && board.newFolder === undefined)
    throw new Error(
      '--states names the columns of a local board that is not there yet. This board has states of its own; choose among them with --active and so on.',
    );
  let states =
    board.newFolder === undefined ? await readBoardStates(board, file) : await askColumns(asker, options);
  const names = states.map(({ name }) => name);
  const roles = await askStates(asker, options, board, names);
  states = await awaitStates(asker, board, roles, { states, file, tell });
  const base = await asker.text({
    option: '--base <branch>',
    message: 'Which branch does work start from?',
    given: options.base,
    suggested: board.suggestedBase,
  });
  const command = await asker.text({
    option: '--agent <command>',
    message: 'Which shell line is the agent? (it gets the prompt on its standard input)',
    given: options.agent,
    suggested: 'claude -p --permission-mode acceptEdits',
  });
  asker.settle();
  const answers: WorkflowAnswers = { ...board, ...roles, base, command };
  return { text: writeWorkflow(answers), states, newFolder: board.newFolder };
}

async function askColumns(asker: Asker, options: InitOptions): Promise<readonly TrackerState[]> {
  const split = (text: string) =>
    text
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '');
  const columns = await asker.text({
    option: '--states <states...>',
    message: 'Which states does the new board have? (separated by commas)',
    given: options.states?.join(','),
    suggested: newBoardStates.join(', '),
    check: (text) => split(text).length > 0 || 'It has at least one.',
  });
  return statesToCome(options.states ?? split(columns));
}

/** Tells what the board lacks, and looks again for as long as the person wants to. */
async function awaitStates(
  asker: Asker,
  board: BoardAnswers,
  roles: SuggestedRoles,
  {
    states,
    file,
    tell,
  }: {
    readonly states: readonly TrackerState[];
    readonly file: string;
    readonly tell: (text: string) => void;
  },
): Promise<readonly TrackerState[]> {
  let there = states;
  for (;;) {
    const missing = findMissing(roles, there);
    if (missing.length === 0) return there;
    tell(describeMaking(board.kind, board.project, board.endpoint, missing));
    if (!asker.isAttended) return there;
    const next = await asker.one({
      option: '',
      message: 'And then?',
      given: undefined,
      suggested: 'again' as 'again' | 'stop',
      choices: [
        { value: 'again', name: 'They are there now: look again' },
        { value: 'stop', name: 'Stop, and write nothing' },
      ],
    });
    if (next === 'stop') throw new LeftError();
    there = await readBoardStates(board, file);
  }
}
