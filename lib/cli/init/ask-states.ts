import { stateKey } from '../../core/issue.ts';
import type { BoardAnswers } from './ask-board.ts';
import type { Asker, Choice } from './asker.ts';
import type { InitOptions } from './init-options.ts';
import { recognizeStates, type SuggestedRoles } from './usual-states.ts';

/** The columns of a folder that is made a board. */
export const newBoardStates = ['Backlog', 'Todo', 'In Progress', 'In Review', 'Done', 'Cancelled'];

/** What the states are for, in the board's spelling. Some may not be on the board yet. */
export async function askStates(
  asker: Asker,
  options: InitOptions,
  board: Pick<BoardAnswers, 'kind' | 'newFolder'>,
  names: readonly string[],
): Promise<SuggestedRoles> {
  const suggested = suggestRoles(board, names);
  const spell = (name: string) => names.find((one) => stateKey(one) === stateKey(name)) ?? name;
  const choices = listChoices(names, suggested);
  const others = (taken: readonly string[]) => choices.filter(({ value }) => !taken.includes(value));
  const none = { value: '', name: 'none' };

  const active = (
    await asker.many({
      option: '--active <states...>',
      message: 'In which states should an agent be at work?',
      given: options.active,
      suggested: suggested.active.length === 0 ? undefined : suggested.active,
      choices,
      atLeastOne: true,
    })
  ).map(spell);
  const inProgress = await askOptional(asker, {
    option: '--in-progress <state> or --no-in-progress',
    message: 'Which of them is written when a turn starts?',
    given: options.inProgress,
    suggested: active.find((name) => name === suggested.inProgress),
    choices: [...choices.filter(({ value }) => active.includes(value)), none],
  });
  const handoff = await askOptional(asker, {
    option: '--handoff <state> or --no-handoff',
    message: 'Which state is written when a turn has ended, and a person is next?',
    given: options.handoff,
    suggested: active.includes(suggested.handoff ?? '') ? undefined : suggested.handoff,
    choices: [...others(active), none],
  });
  const left = others([...active, ...(handoff === undefined ? [] : [spell(handoff)])]);
  const terminal = await asker.many({
    option: '--terminal <states...> or --no-terminal',
    message: 'Which states end an issue? (a closed one has ended anyway)',
    given: options.terminal === false ? [] : options.terminal,
    suggested: suggested.terminal.filter((name) => left.some(({ value }) => value === name)),
    choices: left,
  });
  return {
    active,
    inProgress: inProgress && spell(inProgress),
    handoff: handoff && spell(handoff),
    terminal: terminal.map(spell),
  };
}

interface OptionalState {
  readonly option: string;
  readonly message: string;
  readonly given: string | false | undefined;
  readonly suggested: string | undefined;
  readonly choices: readonly Choice<string>[];
}

/** No state is an answer too, apart from no answer: it is the blank, which no state is called. */
async function askOptional(asker: Asker, question: OptionalState): Promise<string | undefined> {
  const { given, suggested = '' } = question;
  const chosen = await asker.one({ ...question, given: given === false ? '' : given, suggested });
  return chosen === '' ? undefined : chosen;
}

/**
 * What is suggested where the board's own names say nothing: a repository has no state labels before somebody makes them,
 * and a new project has no column for what waits for a person.
 */
function suggestRoles(
  { kind, newFolder }: Pick<BoardAnswers, 'kind' | 'newFolder'>,
  names: readonly string[],
): SuggestedRoles {
  const found = recognizeStates(names);
  if (newFolder !== undefined) return found;
  if (kind === 'github' && found.active.length === 0) return usualLabels;
  return { ...found, handoff: found.handoff ?? (kind === 'github' ? usualLabels.handoff : 'In Review') };
}

const usualLabels: SuggestedRoles = {
  active: ['todo', 'in progress'],
  inProgress: 'in progress',
  handoff: 'in review',
  terminal: ['done'],
};

/** What has a role by its name comes first: a repository may have a hundred labels that are no states. */
function listChoices(names: readonly string[], suggested: SuggestedRoles): readonly Choice<string>[] {
  const { active, handoff, terminal } = suggested;
  const first = [...active, ...(handoff === undefined ? [] : [handoff]), ...terminal];
  return [...new Set([...first, ...names])].map((value) => ({
    value,
    name: names.includes(value) ? value : `${value} (not on the board yet)`,
  }));
}
