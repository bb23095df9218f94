import { type Issue, type IssueId, type Reading, stateKey } from '../../../lib/core/issue.ts';
import type { Proc } from '../kernel.ts';
import { noteOf, type SimBoard } from './truth.ts';

/** What a process was shown of an issue, and when. */
export interface Shown {
  readonly reading: Reading;
  readonly at: number;
}

/** Why the issue that the process was last shown should have no agent. */
export function unwantedShown(proc: Proc, board: SimBoard, issue: IssueId): string | undefined {
  return whyNotShown(board, noteOf<Shown>(proc, `read ${board.id} ${issue}`));
}

/** Why an issue that was shown so should have no agent. */
export function whyNotShown(board: SimBoard, shown: Shown | undefined): string | undefined {
  if (shown?.reading.kind !== 'found') return `its last read is ${shown?.reading.kind ?? 'missing'}`;
  const found = (shown.reading as Extract<Reading, { kind: 'found' }>).issue;
  if (found.trusted !== true) return 'who moved it may not start work';
  return whyUnwanted(board, found);
}

export function whyUnwanted(board: SimBoard, issue: Issue): string | undefined {
  const { tracker } = board.workflow;
  if (issue.closed) return 'it is closed';
  const state = issue.state === undefined ? undefined : stateKey(issue.state);
  const names = [...tracker.active_states, ...renamedFrom(board)].map(stateKey);
  if (state === undefined || !names.includes(state)) return `it is in ${issue.state}`;
  const isLabelled = (tracker.required_labels ?? []).every((label) => issue.labels.includes(label));
  return isLabelled ? undefined : 'it lacks a label';
}

/** While a column is called something else, its new name stands for the configured one. */
function renamedFrom(board: SimBoard): readonly string[] {
  return board.cards.states
    .filter(({ id }) => id === 'column-1' || id === 'column-2')
    .map(({ name }) => name as string);
}
