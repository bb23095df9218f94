import type { Workflow } from '../../lib/core/workflow.ts';
import { parseWorkflow } from '../../lib/core/workflow.ts';

/** A workflow over the usual columns, with the given front matter keys in their place. */
export function buildWorkflow(
  fields: { tracker?: object; agent?: object; [key: string]: unknown } = {},
  prompt = 'Work on {{ issue.key }}.',
): Workflow {
  const front = {
    repository: '/repository.git',
    verify: [],
    ...fields,
    tracker: {
      kind: 'local',
      project: 'board',
      active_states: ['Todo', 'In Progress'],
      in_progress_state: 'In Progress',
      handoff_state: 'In Review',
      terminal_states: ['Done', 'Cancelled'],
      ...fields.tracker,
    },
    agent: { kind: 'command', command: 'true', ...fields.agent },
  };
  const parsed = parseWorkflow(`---\n${JSON.stringify(front)}\n---\n${prompt}\n`, 'WORKFLOW.md');
  if ('problems' in parsed)
    throw new Error(`the test's workflow is broken: ${JSON.stringify(parsed.problems)}`);
  return parsed.workflow;
}
