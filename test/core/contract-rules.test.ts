import { describe, expect, test } from 'vitest';
import type { ConfiguredStates } from '../../lib/core/configured-states.ts';
import { checkContract, contractRules } from '../../lib/core/contract-rules.ts';

const sound: ConfiguredStates = {
  active_states: ['Todo', 'In Progress'],
  in_progress_state: 'In Progress',
  handoff_state: 'In Review',
  terminal_states: ['Done', 'Cancelled'],
  merged_state: 'Done',
};

const check = (states: Partial<ConfiguredStates>) => checkContract({ tracker: { ...sound, ...states } });
const find = (states: Partial<ConfiguredStates>) =>
  check(states).map(({ rule, path }) => `${rule} at ${path}`);

describe('a contract holds', () => {
  test.each<readonly [string, Partial<ConfiguredStates>]>([
    ['with a state for each role', {}],
    [
      'without the optional states',
      { in_progress_state: undefined, handoff_state: undefined, merged_state: undefined },
    ],
    ['with one active state alone', { active_states: ['Todo'], in_progress_state: undefined }],
    [
      'without terminal states, for boards that close issues',
      { terminal_states: [], merged_state: undefined },
    ],
    ['when the in-progress state is written in another case', { in_progress_state: ' IN PROGRESS ' }],
    ['when the merged state is written in another case', { merged_state: 'dOnE' }],
    ['when the merged state is not the first terminal one', { merged_state: 'Cancelled' }],
    ['when the first active state is the in-progress state', { in_progress_state: 'todo' }],
  ])('%s', (_, states) => {
    expect(check(states)).toEqual([]);
  });
});

describe('a contract is refused', () => {
  test.each<readonly [what: string, Partial<ConfiguredStates>, found: readonly string[], says: string]>([
    [
      'when nothing is active',
      { active_states: [], in_progress_state: undefined },
      ['active-not-empty at tracker.active_states'],
      'tracker.active_states is empty: nothing would ever start; name the states an agent should work in',
    ],
    [
      'when the in-progress state is not active',
      { in_progress_state: 'Doing' },
      ['in-progress-active at tracker.in_progress_state'],
      "tracker.in_progress_state 'Doing' is not among tracker.active_states: the tick would at once stop each turn that it had just started; add it there, or set in_progress_state: null",
    ],
    [
      'when the handoff state is active',
      { handoff_state: 'todo' },
      ['handoff-not-active at tracker.handoff_state'],
      "tracker.handoff_state 'todo' is also in tracker.active_states: the tick would at once start work again on each issue that was handed off; take it out there, or name another state",
    ],
    [
      'when the handoff state is the in-progress state',
      { active_states: ['Todo'], in_progress_state: 'Doing', handoff_state: 'doing' },
      ['in-progress-active at tracker.in_progress_state', 'handoff-not-in-progress at tracker.handoff_state'],
      "tracker.handoff_state 'doing' is the same as tracker.in_progress_state: an issue that was handed off would look as if an agent were at work; name another state",
    ],
    [
      'when the handoff state is terminal',
      { handoff_state: 'CANCELLED' },
      ['handoff-not-terminal at tracker.handoff_state'],
      "tracker.handoff_state 'CANCELLED' is also in tracker.terminal_states: handing off would end the issue without a person's look; take it out there, or name another state",
    ],
    [
      'when states are active and terminal',
      { active_states: ['Todo', 'done', 'In Progress', 'cancelled'] },
      [
        'active-terminal-disjoint at tracker.active_states[1]',
        'active-terminal-disjoint at tracker.active_states[3]',
      ],
      "state 'done' is in tracker.active_states and in tracker.terminal_states: no issue in it would ever be worked on; take it out of one of them",
    ],
    [
      'when the merged state is not terminal',
      { merged_state: 'Merged' },
      ['merged-terminal at tracker.merged_state'],
      "tracker.merged_state 'Merged' is not among tracker.terminal_states: an issue whose pull request was merged would not count as finished; add it there",
    ],
    [
      'when an active state stands twice',
      { active_states: ['Todo', 'In Progress', ' TODO'] },
      ['names-unique at tracker.active_states[2]'],
      "state ' TODO' stands twice in tracker.active_states: names are compared without case; take one of them out",
    ],
    [
      'when a terminal state stands twice',
      { terminal_states: ['Done', 'done', 'DONE'] },
      ['names-unique at tracker.terminal_states[1]', 'names-unique at tracker.terminal_states[2]'],
      "state 'done' stands twice in tracker.terminal_states",
    ],
    [
      'when active states are blank, each told once',
      { active_states: ['Todo', '', 'In Progress', ' '] },
      ['names-unique at tracker.active_states[1]', 'names-unique at tracker.active_states[3]'],
      'tracker.active_states[1] is blank: no issue could ever be in it; name a state or take it out',
    ],
    [
      'when a terminal state is blank',
      { terminal_states: ['Done', ''] },
      ['names-unique at tracker.terminal_states[1]'],
      'tracker.terminal_states[1] is blank',
    ],
    [
      'when the handoff state is blank',
      { handoff_state: ' ' },
      ['names-unique at tracker.handoff_state'],
      'tracker.handoff_state is blank',
    ],
    [
      'when the in-progress state is blank',
      { in_progress_state: '' },
      ['names-unique at tracker.in_progress_state', 'in-progress-active at tracker.in_progress_state'],
      'tracker.in_progress_state is blank',
    ],
    [
      'when the merged state is blank',
      { merged_state: '' },
      ['names-unique at tracker.merged_state', 'merged-terminal at tracker.merged_state'],
      'tracker.merged_state is blank',
    ],
  ])('%s', (_, states, found, says) => {
    expect(find(states)).toEqual(found);
    expect(
      check(states)
        .map(({ message }) => message)
        .join('\n'),
    ).toContain(says);
  });

  test('with letters that are composed in one name and not in the other', () => {
    expect(find({ active_states: ['Pr\u00FCfen', 'In Progress', 'Pru\u0308fen'] })).toEqual([
      'names-unique at tracker.active_states[2]',
    ]);
  });

  test('for every rule that it breaks at once', () => {
    const broken = {
      active_states: ['Todo', 'Todo'],
      in_progress_state: 'Doing',
      handoff_state: 'todo',
      terminal_states: ['Todo', ''],
      merged_state: 'Merged',
    };
    expect(find(broken)).toEqual([
      'names-unique at tracker.terminal_states[1]',
      'names-unique at tracker.active_states[1]',
      'in-progress-active at tracker.in_progress_state',
      'handoff-not-active at tracker.handoff_state',
      'handoff-not-terminal at tracker.handoff_state',
      'active-terminal-disjoint at tracker.active_states[0]',
      'active-terminal-disjoint at tracker.active_states[1]',
      'merged-terminal at tracker.merged_state',
    ]);
  });
});

test('each rule says in one sentence what must hold', () => {
  for (const { says } of contractRules) expect(says).toMatch(/^[A-Z].+\.$/);
});

test('the rules are named as they are documented', () => {
  expect(contractRules.map(({ rule }) => rule).toSorted()).toEqual([
    'active-not-empty',
    'active-terminal-disjoint',
    'handoff-not-active',
    'handoff-not-in-progress',
    'handoff-not-terminal',
    'in-progress-active',
    'merged-terminal',
    'names-unique',
  ]);
});
