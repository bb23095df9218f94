import { describe, expect, test } from 'vitest';
import type { StateKey, StateName } from '../../lib/core/issue.ts';
import { capStatesOf, countSlots } from '../../lib/core/slots.ts';
import { describeUnwanted, unwantedBecause } from '../../lib/core/wanted.ts';
import { buildIssue, type IssueFields } from '../support/build-issue.ts';
import { buildLease, contract } from '../support/build-observation.ts';
import { buildWorkflow } from '../support/build-workflow.ts';

const labelled = () => buildWorkflow({ tracker: { required_labels: ['Agent', 'Ready'] } });

describe('an issue is unwanted, and says why', () => {
  test.each<[string | undefined, IssueFields]>([
    [undefined, { state: 'Todo', labels: ['ready ', 'AGENT'] }],
    [undefined, { state: 'Todo', labels: ['agent', 'ready'], conflictingStates: ['Todo'] }],
    ['it is closed', { state: 'Todo', closed: true }],
    ['it is in "Done", which is terminal', { state: 'Done' }],
    ['it has several states at once: Todo, In Review', { conflictingStates: ['Todo', 'In Review'] }],
    ['it is in "Backlog", which is not active', { state: 'Backlog' }],
    ['it has no state', { state: undefined }],
    ['it lacks the label Agent, Ready', { state: 'Todo', labels: ['other'] }],
    ['it lacks the label Ready', { state: 'Todo', labels: ['agent'] }],
  ])('%s', (sentence, fields) => {
    const issue = buildIssue({ id: 'A', ...fields });
    const why = unwantedBecause(issue, contract, labelled());
    expect(why && describeUnwanted(why, issue, labelled())).toBe(sentence);
  });
});

describe('slots', () => {
  const todo = () => buildIssue({ id: 'A', state: 'Todo' });
  const held = (phase: 'idle' | 'running') => buildLease('B', { phase, capStates: ['todo' as StateKey] });
  const count = (phase: 'idle' | 'running', agent: object, used = 0) =>
    countSlots([held(phase)], contract, buildWorkflow({ agent }), { cap: 9, used });

  test('are held by what is not idle, on its board and in its column', () => {
    const board = { max_concurrent_agents: 1 };
    expect(count('running', board).take(todo())).toEqual({
      reason: 'cap-board',
      detail: '1 of 1 turns on this board are taken',
    });
    expect(count('idle', board).take(todo())).toBeUndefined();
    const column = { max_concurrent_agents_by_state: { todo: 1 } };
    expect(count('running', column).take(todo())).toEqual({
      reason: 'cap-state',
      detail: '1 of 1 turns in "todo" are taken',
    });
    expect(count('idle', column).take(todo())).toBeUndefined();
  });

  test('of the deployment come first', () => {
    expect(count('idle', {}, 9).take(todo())).toEqual({
      reason: 'cap-deployment',
      detail: '9 of 9 turns in the deployment are taken',
    });
  });

  test('are held in the column of the start and in that of the work, once each', () => {
    expect(capStatesOf({ state: 'Todo' as StateName }, contract)).toEqual(['todo', 'in progress']);
    expect(capStatesOf({ state: 'In Progress' as StateName }, contract)).toEqual(['in progress']);
    expect(capStatesOf({ state: undefined }, { ...contract, inProgress: undefined })).toEqual([]);
  });
});
