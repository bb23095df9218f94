import { describe, expect, test } from 'vitest';
import type { ConfiguredStates } from '../../lib/core/configured-states.ts';
import {
  type Contract,
  type ContractRecord,
  type LiveContract,
  liveRules,
  resolveContract,
  roleOf,
  unreadBoard,
} from '../../lib/core/contract.ts';
import type { StateName, TrackerState } from '../../lib/core/issue.ts';

const boardStates = (names: readonly string[]): readonly TrackerState[] =>
  names.map((name, at) => ({ id: `s${at}`, name: name as StateName }));

const board = boardStates(['Backlog', 'Todo', 'In Progress', 'In Review', 'Done', 'Cancelled']);
const rename = (from: string, to: string, states = board): readonly TrackerState[] =>
  states.map((state) => (state.name === from ? { ...state, name: to as StateName } : state));
const without = (name: string): readonly TrackerState[] => board.filter((state) => state.name !== name);

const configured: ConfiguredStates = {
  active_states: ['todo', 'in progress'],
  in_progress_state: 'in progress',
  handoff_state: 'in review',
  terminal_states: ['done', 'cancelled'],
  merged_state: 'done',
};

const resolve = (
  live: readonly TrackerState[],
  known?: ContractRecord,
  states: Partial<ConfiguredStates> = {},
  policyHash = 'p1',
) => resolveContract({ tracker: { ...configured, ...states }, policyHash }, live, known);

function recordOf(answer: LiveContract): ContractRecord {
  if (!answer.valid) throw new Error(JSON.stringify(answer.problems));
  return answer.record;
}

const problemsOf = (answer: LiveContract) =>
  answer.valid ? [] : answer.problems.map(({ rule, path, message }) => `${rule} at ${path}: ${message}`);

const namesOf = (contract: Contract | undefined) =>
  contract && {
    active: contract.active.map(({ name }) => name),
    inProgress: contract.inProgress?.name,
    handoff: contract.handoff?.name,
    terminal: contract.terminal.map(({ name }) => name),
    merged: contract.merged?.name,
  };

const roles = {
  active: ['Todo', 'In Progress'],
  inProgress: 'In Progress',
  handoff: 'In Review',
  terminal: ['Done', 'Cancelled'],
  merged: 'Done',
};

const known = { policyHash: 'p1', states: board, ...roles } as unknown as ContractRecord;

describe('a contract whose states exist', () => {
  test('is valid, in the spelling of the board, with keys to compare by', () => {
    const answer = resolve(board);
    expect(answer.valid).toBe(true);
    expect(namesOf(answer.contract)).toEqual(roles);
    expect(answer.contract?.active.map(({ key }) => key)).toEqual(['todo', 'in progress']);
    expect(answer.contract?.inProgress?.key).toBe('in progress');
    expect(answer.contract?.handoff?.key).toBe('in review');
    expect(answer.contract?.terminal.map(({ key }) => key)).toEqual(['done', 'cancelled']);
    expect(answer.contract?.merged?.key).toBe('done');
  });

  test('is recorded with its policy and every state of the board', () => {
    expect(recordOf(resolve(board))).toEqual({ policyHash: 'p1', states: board, ...roles });
  });

  test('has none of the roles that are not configured', () => {
    const answer = resolve(board, undefined, {
      in_progress_state: undefined,
      handoff_state: undefined,
      merged_state: undefined,
    });
    expect(namesOf(answer.contract)).toEqual({
      ...roles,
      inProgress: undefined,
      handoff: undefined,
      merged: undefined,
    });
    expect(recordOf(answer)).toMatchObject({ inProgress: undefined, handoff: undefined, merged: undefined });
  });

  test('replaces the known one when the policy has changed', () => {
    const answer = resolve(board, known, { handoff_state: 'Backlog' }, 'p2');
    expect(recordOf(answer)).toEqual({ ...known, policyHash: 'p2', handoff: 'Backlog' });
    expect(answer.contract?.handoff?.name).toBe('Backlog');
  });

  test('stays valid when only the case of a name has changed, or a state without a role', () => {
    expect(namesOf(resolve(rename('Done', 'DONE'), known).contract)).toEqual({
      ...roles,
      terminal: ['DONE', 'Cancelled'],
      merged: 'DONE',
    });
    expect(resolve(rename('Backlog', 'Ideas'), known).valid).toBe(true);
    expect(resolve(without('Backlog'), known).valid).toBe(true);
  });

  test('follows a rename once the file names the new state', () => {
    const answer = resolve(
      rename('In Review', 'Needs review'),
      known,
      { handoff_state: 'needs review' },
      'p2',
    );
    expect(recordOf(answer).handoff).toBe('Needs review');
  });
});

describe('a state that does not exist', () => {
  test.each<readonly [field: string, path: string, Partial<ConfiguredStates>]>([
    ['active', 'tracker.active_states[1]', { active_states: ['todo', 'shipping', 'in progress'] }],
    [
      'in-progress',
      'tracker.in_progress_state',
      { active_states: ['todo', 'shipping'], in_progress_state: 'shipping' },
    ],
    ['handoff', 'tracker.handoff_state', { handoff_state: 'shipping' }],
    ['terminal', 'tracker.terminal_states[2]', { terminal_states: ['done', 'cancelled', 'shipping'] }],
    ['merged', 'tracker.merged_state', { terminal_states: ['done', 'shipping'], merged_state: 'shipping' }],
  ])('is told where it is configured as %s', (_, path, states) => {
    expect(problemsOf(resolve(board, undefined, states))).toContain(
      `state-exists at ${path}: the board has no state 'shipping': nothing starts until ${path} names one that exists (its states are 'Backlog', 'Todo', 'In Progress', 'In Review', 'Done', 'Cancelled')`,
    );
  });

  test('is told once for each field, and for no other', () => {
    const answer = resolve(without('Done'), undefined);
    expect(problemsOf(answer).map((problem) => problem.split(':')[0])).toEqual([
      'state-exists at tracker.terminal_states[0]',
      'state-exists at tracker.merged_state',
    ]);
  });

  test('comes with the name that was probably meant', () => {
    expect(problemsOf(resolve(board, undefined, { handoff_state: 'in reviw' }))[0]).toContain(
      "names one that exists; did you mean 'In Review'? (its states are 'Backlog'",
    );
  });

  test('on a board without states is told as that', () => {
    expect(problemsOf(resolve([], undefined))[0]).toMatch(
      /'todo': .* names one that exists \(it has no states\)$/,
    );
  });

  test.each([
    [30, "'L29')"],
    [31, "'L29' and 1 more)"],
    [40, "'L29' and 10 more)"],
  ])('on a board of %i states lists at most 30', (count, end) => {
    const states = boardStates(Array.from({ length: count }, (_, at) => `L${at}`));
    const [problem] = problemsOf(resolve(states, undefined));
    expect(problem).toContain(end);
    expect(problem).not.toContain("'L30'");
  });

  test('on a board of many lists the first ones one by one', () => {
    const states = boardStates(Array.from({ length: 31 }, (_, at) => `L${at}`));
    expect(problemsOf(resolve(states, undefined))[0]).toContain("(its states are 'L0', 'L1', 'L2', ");
  });

  test('stands beside what is wrong with the policy itself', () => {
    const answer = resolve(board, known, {
      handoff_state: 'Done',
      merged_state: 'Merged',
      terminal_states: ['done'],
    });
    expect(problemsOf(answer).map((problem) => problem.split(':')[0])).toEqual([
      'handoff-not-terminal at tracker.handoff_state',
      'merged-terminal at tracker.merged_state',
      'state-exists at tracker.merged_state',
    ]);
  });

  test('is not told of a blank name, which has a rule of its own', () => {
    expect(
      problemsOf(resolve(board, undefined, { active_states: ['todo', 'in progress', ''] })).map(
        (problem) => problem.split(' ')[0],
      ),
    ).toEqual(['names-unique']);
  });
});

describe('a policy that breaks a rule is invalid though its states exist', () => {
  test('and the last good contract goes on', () => {
    const answer = resolve(board, known, { handoff_state: 'Todo' }, 'p2');
    expect(answer.valid).toBe(false);
    expect(namesOf(answer.contract)).toEqual(roles);
  });

  test('and there is no contract when none was ever good', () => {
    expect(resolve(board, undefined, { handoff_state: 'Todo' })).toMatchObject({
      valid: false,
      contract: undefined,
    });
  });
});

describe('a renamed state', () => {
  const renamed = rename('In Review', 'Needs review');

  test('is told as a rename', () => {
    expect(problemsOf(resolve(renamed, known))).toEqual([
      "state-renamed at tracker.handoff_state: state 'in review' is now called 'Needs review': nothing starts until tracker.handoff_state says so too, or the board has its old name back",
    ]);
  });

  test('is followed by the last good contract', () => {
    expect(namesOf(resolve(renamed, known).contract)).toEqual({ ...roles, handoff: 'Needs review' });
    expect(resolve(renamed, known).contract?.handoff?.key).toBe('needs review');
  });

  test.each([
    ['Todo', { active: ['New', 'In Progress', 'Todo'] }],
    ['In Progress', { active: ['Todo', 'New', 'In Progress'], inProgress: 'New' }],
    ['Done', { terminal: ['New', 'Cancelled', 'Done'], merged: 'New' }],
    ['Cancelled', { terminal: ['Done', 'New', 'Cancelled'] }],
  ])('is followed in every role of %s, whose old name stays active or terminal', (name, changed) => {
    expect(namesOf(resolve(rename(name, 'New'), known).contract)).toEqual({ ...roles, ...changed });
  });

  test('is told also when the policy has changed since', () => {
    const answer = resolve(renamed, known, { terminal_states: ['done'] }, 'p2');
    expect(problemsOf(answer)[0]).toMatch(/^state-renamed at tracker.handoff_state/);
  });

  test('is told of a state that had no role before', () => {
    expect(
      problemsOf(resolve(rename('Backlog', 'Ideas'), known, { handoff_state: 'backlog' }, 'p2'))[0],
    ).toContain("state 'backlog' is now called 'Ideas'");
  });

  test('is only missing while nothing is known of the board', () => {
    expect(problemsOf(resolve(renamed, undefined))[0]).toMatch(/^state-exists/);
    expect(resolve(renamed, undefined).contract).toBeUndefined();
  });

  test('is only missing when its id is gone', () => {
    const answer = resolve(without('In Review'), known);
    expect(problemsOf(answer)[0]).toMatch(/^state-exists at tracker.handoff_state/);
    expect(namesOf(answer.contract)).toEqual(roles);
  });

  test('is only missing when the known states have no such name', () => {
    expect(problemsOf(resolve(renamed, known, { handoff_state: 'shipping' }, 'p2'))[0]).toMatch(
      /^state-exists/,
    );
  });

  test('is not seen where ids are positions and a state was taken out', () => {
    const shifted = boardStates(without('In Review').map(({ name }) => name));
    const answer = resolve(shifted, known);
    expect(problemsOf(answer)).toHaveLength(1);
    expect(problemsOf(answer)[0]).toMatch(/^state-exists at tracker.handoff_state/);
    expect(namesOf(answer.contract)).toEqual(roles);
  });

  test('is seen where ids are positions and the place is the same', () => {
    const inPlace = boardStates(['Backlog', 'Todo', 'In Progress', 'Needs review', 'Done', 'Cancelled']);
    expect(problemsOf(resolve(inPlace, known))[0]).toMatch(/^state-renamed/);
  });

  test('keeps its name in the last good contract when another state took its id', () => {
    const swapped = rename('Todo', 'In Review', rename('In Review', 'Ideas'));
    const answer = resolve(swapped, known);
    expect(problemsOf(answer).map((problem) => problem.split(':')[0])).toEqual([
      'state-exists at tracker.active_states[0]',
    ]);
    expect(answer.contract?.handoff?.name).toBe('In Review');
    expect(answer.contract?.active[0]?.name).toBe('Todo');
  });

  test('counts by both names while issues may stand under the old one', () => {
    const contract = resolve(rename('Done', 'Shipped', rename('Todo', 'Next')), known).contract!;
    const roleIn = (state: string) => roleOf(contract, { state: state as StateName, closed: false });
    expect(['todo', 'Next', 'Done', 'shipped', 'Backlog'].map(roleIn)).toEqual([
      'active',
      'active',
      'terminal',
      'terminal',
      'other',
    ]);
  });

  test('is told of each state that was renamed', () => {
    const answer = resolve(rename('Todo', 'Next', renamed), known);
    expect(problemsOf(answer).map((problem) => problem.split(':')[0])).toEqual([
      'state-renamed at tracker.active_states[0]',
      'state-renamed at tracker.handoff_state',
    ]);
    expect(namesOf(answer.contract)).toEqual({
      ...roles,
      active: ['Next', 'In Progress', 'Todo'],
      handoff: 'Needs review',
    });
  });
});

test('each live rule says in one sentence what must hold', () => {
  expect(liveRules.map(({ rule }) => rule)).toEqual(['state-exists', 'state-renamed']);
  for (const { says } of liveRules) expect(says).toMatch(/^[A-Z].+\.$/);
});

describe('the role of an issue', () => {
  const inBoard = (states: Partial<ConfiguredStates> = {}) => resolve(board, undefined, states).contract!;

  test.each([
    ['Todo', false, 'active'],
    [' IN PROGRESS ', false, 'active'],
    ['In Review', false, 'handoff'],
    ['in review', false, 'handoff'],
    ['Done', false, 'terminal'],
    ['cancelled', false, 'terminal'],
    ['Backlog', false, 'other'],
    ['Unheard of', false, 'other'],
    [undefined, false, 'none'],
    ['Todo', true, 'terminal'],
    ['In Review', true, 'terminal'],
    ['Backlog', true, 'terminal'],
    [undefined, true, 'terminal'],
  ] as const)('in %j with closed %j is %s', (state, closed, role) => {
    expect(roleOf(inBoard(), { state: state as StateName | undefined, closed })).toBe(role);
  });

  test('is never handoff where no state has that role', () => {
    const bare = inBoard({ in_progress_state: undefined, handoff_state: undefined });
    expect(roleOf(bare, { state: 'In Review' as StateName, closed: false })).toBe('other');
  });
});

test.each(['no answer', 'no answer.'])(
  'why a board could not be read is a sentence that ends once: %s',
  (cause) => {
    expect(unreadBoard(cause).message).toBe(
      'the board could not be read: no answer. Nothing starts until it can be, and what runs goes on',
    );
  },
);
