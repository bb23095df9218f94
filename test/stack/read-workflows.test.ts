import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseWorkflow } from '../../lib/core/workflow.ts';
import { readWorkflows, WorkflowProblems, type WorkflowSource } from '../../lib/stack/read-workflows.ts';
import { deployableWorkflow, evenkeelStack } from '../support/stack-world.ts';

function problemsOf(...sources: readonly WorkflowSource[]): WorkflowProblems {
  try {
    readWorkflows(sources);
  } catch (error) {
    if (error instanceof WorkflowProblems) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

const rulesOf = (...sources: readonly WorkflowSource[]) =>
  problemsOf(...sources).files.flatMap(({ problems }) => problems.map(({ rule }) => rule));
const withTask = (task: object) => deployableWorkflow({ agent: { task } });

describe('a workflow that breaks the contract', () => {
  const broken = deployableWorkflow({
    tracker: { active_states: ['todo', 'done'], terminal_states: ['done'] },
  });

  test("fails the synth with the contract's own messages, all of them", () => {
    const parsed = parseWorkflow(broken.text, broken.source);
    const messages = 'problems' in parsed ? parsed.problems.map(({ message }) => message) : [];
    expect(messages.length).toBeGreaterThan(0);
    const { message } = problemsOf(broken);
    for (const one of messages) expect(message).toContain(one);
    expect(() => evenkeelStack({ workflows: [broken] })).toThrow(WorkflowProblems);
  });

  test('hides no problem of another file', () => {
    const other = { ...withTask({ cpu: 1_000, memory: 4_096 }), source: 'other/WORKFLOW.md' };
    const { message } = problemsOf(broken, other);
    expect(message).toContain('WORKFLOW.md cannot be deployed');
    expect(message).toContain('other/WORKFLOW.md cannot be deployed');
  });
});

describe('a deployment refuses', () => {
  test('a board that is a folder', () => {
    const local = deployableWorkflow({
      tracker: { kind: 'local', project: 'board', active_states: ['todo'], in_progress_state: null },
      repository: 'acme/web',
    });
    expect(rulesOf(local)).toEqual(['board-reachable']);
  });

  test.each(['.', '../web', '/srv/web.git', 'file:///srv/web.git'])(
    'the path %s as a repository',
    (repository) => {
      expect(rulesOf(deployableWorkflow({ repository }))).toEqual(['repository-reachable']);
    },
  );

  test('a board of a kind that the functions do not serve', () => {
    const linear = deployableWorkflow({
      tracker: { kind: 'linear', project: 'ENG' },
      repository: 'acme/web',
    });
    expect(rulesOf(linear)).toEqual(['kind-supported']);
  });

  test('two workflow files for one board, however its name is written', () => {
    const twice = deployableWorkflow({ tracker: { project: 'Acme/Web' } });
    const error = problemsOf(deployableWorkflow(), { ...twice, source: 'second.md' });
    expect(error.files).toMatchObject([{ source: 'second.md', problems: [{ rule: 'board-once' }] }]);
  });

  test('to be made of no workflow file', () => {
    expect(() => readWorkflows([])).toThrow('name at least one');
  });
});

describe('a task of a size that Fargate', () => {
  test.each([
    [256, 512],
    [256, 1_024],
    [256, 2_048],
    [512, 3_072],
    [1_024, 8_192],
    [2_048, 4_096],
    [4_096, 30_720],
    [8_192, 20_480],
    [16_384, 122_880],
  ])('has, %i CPU units with %i MiB, is deployed', (cpu, memory) => {
    expect(readWorkflows([withTask({ cpu, memory, spot: true, disk_gib: 200 })])).toHaveLength(1);
  });

  test.each([
    [1_000, 4_096, 'agent.task.cpu'],
    [256, 1_536, 'agent.task.memory'],
    [256, 4_096, 'agent.task.memory'],
    [1_024, 1_024, 'agent.task.memory'],
    [1_024, 2_500, 'agent.task.memory'],
    [512, 5_120, 'agent.task.memory'],
    [1_024, 9_216, 'agent.task.memory'],
    [2_048, 17_408, 'agent.task.memory'],
    [4_096, 31_744, 'agent.task.memory'],
    [4_096, 7_168, 'agent.task.memory'],
    [8_192, 65_536, 'agent.task.memory'],
    [8_192, 17_408, 'agent.task.memory'],
    [16_384, 30_720, 'agent.task.memory'],
  ])('does not have, %i CPU units with %i MiB, is refused with those that it has', (cpu, memory, path) => {
    const { files } = problemsOf(withTask({ cpu, memory }));
    expect(files[0]?.problems).toMatchObject([{ rule: 'task-size', path }]);
    expect(files[0]?.problems[0]?.message).toMatch(/take (one of )?\d/);
  });

  test('has no disk for is refused by the schema', () => {
    expect(problemsOf(withTask({ disk_gib: 201 })).message).toContain('agent.task.disk_gib');
  });
});

test('the example for labels of a GitHub repository can be deployed', () => {
  const text = readFileSync('examples/github-labels.md', 'utf8');
  expect(readWorkflows([{ source: 'examples/github-labels.md', text }])).toHaveLength(1);
});
