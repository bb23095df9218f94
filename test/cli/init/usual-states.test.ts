import { describe, expect, test } from 'vitest';
import { recognizeStates } from '../../../lib/cli/init/usual-states.ts';

describe('states are recognised', () => {
  test.each<readonly [string, readonly string[], object]>([
    [
      'by their usual names, in the order of the board',
      ['Backlog', 'Todo', 'In Progress', 'In Review', 'Done', 'Cancelled'],
      {
        active: ['Todo', 'In Progress'],
        inProgress: 'In Progress',
        handoff: 'In Review',
        terminal: ['Done', 'Cancelled'],
      },
    ],
    [
      'in other words',
      ['Ideas', 'Ready', 'Doing', 'Needs review', 'Shipped', "Won't do"],
      {
        active: ['Ready', 'Doing'],
        inProgress: 'Doing',
        handoff: 'Needs review',
        terminal: ['Shipped', "Won't do"],
      },
    ],
    [
      'in any spelling, with signs around them',
      ['TO-DO', '🚧 in_progress', '👀  In   review', 'CANCELED'],
      {
        active: ['TO-DO', '🚧 in_progress'],
        inProgress: '🚧 in_progress',
        handoff: '👀  In   review',
        terminal: ['CANCELED'],
      },
    ],
    [
      'behind the prefix of labels, among labels that are none',
      ['bug', 'status: in progress', 'agent/todo', 'status: in review', 'good first issue', 'duplicate'],
      {
        active: ['agent/todo', 'status: in progress'],
        inProgress: 'status: in progress',
        handoff: 'status: in review',
        terminal: [],
      },
    ],
    [
      'by the most usual of several names, where a role has one',
      ['wip', 'In Progress', 'To review', 'In Review'],
      { active: ['In Progress'], inProgress: 'In Progress', handoff: 'In Review', terminal: [] },
    ],
    [
      'in no name that only contains one',
      ['Not ready', 'Done-ish maybe', 'Review later please'],
      { active: [], inProgress: undefined, handoff: undefined, terminal: [] },
    ],
  ])('%s', (_, names, roles) => {
    expect(recognizeStates(names)).toEqual(roles);
  });
});
