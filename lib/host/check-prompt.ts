import type { Problem } from '../core/contract.ts';
import type { Issue, IssueId, IssueKey, StateName } from '../core/issue.ts';
import { renderPrompt } from '../core/prompt.ts';
import type { Workflow } from '../core/workflow.ts';

/** Renders the prompt as for a first and for a later turn: a variable that does not exist would end every turn. */
export function checkPrompt(workflow: Workflow): readonly Problem[] {
  const renderings = [
    renderPrompt(workflow, sampleIssue(workflow), 1, undefined),
    renderPrompt(workflow, sampleIssue(workflow), 2, 'A gate failed.'),
  ];
  const problems = renderings.flatMap((one) => ('problem' in one ? [one.problem] : []));
  return [...new Set(problems)].map((message) => ({ rule: 'prompt-renders', path: '', message }));
}

/** With something in every field, so that each branch that asks for one is taken. */
function sampleIssue({ tracker }: Workflow): Issue {
  return {
    id: 'SAMPLE-1' as IssueId,
    key: 'SAMPLE-1' as IssueKey,
    title: 'A title',
    description: 'A description.',
    url: 'https://example.invalid/SAMPLE-1',
    state: tracker.active_states[0] as StateName | undefined,
    conflictingStates: [],
    closed: false,
    labels: ['sample'],
    priority: 1,
    blockers: [],
    assignees: ['sample'],
    createdAt: 0,
    movedBy: 'person',
    trusted: true,
  };
}
