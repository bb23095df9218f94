import { stateKey } from '../../core/issue.ts';

/** What the states of a board are for, as the names suggest it; a role that no name suggests is empty. */
export interface SuggestedRoles {
  readonly active: readonly string[];
  readonly inProgress: string | undefined;
  readonly handoff: string | undefined;
  readonly terminal: readonly string[];
}

/**
 * Recognises states by the names that they usually have: in any spelling ("To Do", "to-do"), and behind a prefix of labels
 * ("status: in progress", "agent/todo"). Names stay as the board writes them, in its order.
 */
export function recognizeStates(names: readonly string[]): SuggestedRoles {
  const plain = names.map((name) => ({ name, plain: plainName(name) }));
  const find = (usual: readonly string[]) => usual.flatMap((one) => plain.filter((it) => it.plain === one));
  const inBoardOrder = (usual: readonly string[]) =>
    plain.filter((it) => usual.includes(it.plain)).map(({ name }) => name);
  const inProgress = find(usualNames.inProgress)[0]?.name;
  const waiting = inBoardOrder(usualNames.waiting);
  return {
    active: [...waiting, ...(inProgress === undefined ? [] : [inProgress])],
    inProgress,
    handoff: find(usualNames.handoff)[0]?.name,
    terminal: inBoardOrder(usualNames.terminal),
  };
}

/** The most usual name of a role comes first. */
const usualNames = {
  waiting: [
    'todo',
    'to do',
    'ready',
    'ready for agent',
    'ready for dev',
    'ready for development',
    'selected for development',
    'up next',
    'queued',
    'rework',
    'changes requested',
  ],
  inProgress: ['in progress', 'doing', 'in development', 'in dev', 'started', 'working', 'wip'],
  handoff: [
    'in review',
    'review',
    'needs review',
    'human review',
    'ready for review',
    'code review',
    'in code review',
    'pr review',
    'waiting for review',
    'to review',
  ],
  terminal: [
    'done',
    'closed',
    'complete',
    'completed',
    'shipped',
    'released',
    'merged',
    'cancelled',
    'canceled',
    'rejected',
    'not planned',
    "won't do",
    'wont do',
  ],
} as const;

/** The words of a name alone: without a prefix, signs and case. */
function plainName(name: string): string {
  const words = stateKey(name).split(/[:/]/).at(-1) ?? '';
  return words
    .replace(/[-_]+/g, ' ')
    .replace(/[^\p{L}\p{N}' ]+/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
}
