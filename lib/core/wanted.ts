import { type Contract, roleOf } from './contract.ts';
import type { Reason } from './decision.ts';
import type { Issue } from './issue.ts';
import type { Workflow } from './workflow.ts';

/** Why an issue should have no agent, as far as the board alone says. */
export type Unwanted = Extract<Reason, 'terminal' | 'not-active' | 'missing-label' | 'conflicting-states'>;

/**
 * Whether the board wants an agent on this issue. The one test that a start, a running turn, the start gate and a
 * hand-off all ask, so that no path can forget a part of it.
 */
export function unwantedBecause(issue: Issue, contract: Contract, workflow: Workflow): Unwanted | undefined {
  if (roleOf(contract, issue) === 'terminal') return 'terminal';
  if (issue.conflictingStates.length > 1) return 'conflicting-states';
  if (roleOf(contract, issue) !== 'active') return 'not-active';
  return missingLabels(issue, workflow).length > 0 ? 'missing-label' : undefined;
}

/** The required labels that the issue lacks. */
export function missingLabels(issue: Issue, workflow: Pick<Workflow, 'tracker'>): readonly string[] {
  const present = new Set(issue.labels.map(comparable));
  return (workflow.tracker.required_labels ?? []).filter((label) => !present.has(comparable(label)));
}

/** What an unwanted issue's state says, as a sentence. */
export function describeUnwanted(why: Unwanted, issue: Issue, workflow: Workflow): string {
  switch (why) {
    case 'terminal':
      return issue.closed ? 'it is closed' : `it is in "${issue.state}", which is terminal`;
    case 'conflicting-states':
      return `it has several states at once: ${issue.conflictingStates.join(', ')}`;
    case 'not-active':
      return issue.state === undefined ? 'it has no state' : `it is in "${issue.state}", which is not active`;
    case 'missing-label':
      return `it lacks the label ${missingLabels(issue, workflow).join(', ')}`;
  }
}

function comparable(label: string): string {
  return label.trim().normalize('NFC').toLocaleLowerCase('en-US');
}
