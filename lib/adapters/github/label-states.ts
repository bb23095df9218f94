import { type StateKey, type StateName, stateKey, type TrackerState } from '../../core/issue.ts';
import { closedState, type ListedIssue } from './issue-fields.ts';

/** The states that a workflow file names. */
export interface NamedStates {
  readonly active: readonly string[];
  readonly handoff: string | undefined;
  readonly terminal: readonly string[];
  /** States that only the board knows, or that have no role. */
  readonly others: readonly string[];
}

interface Label {
  readonly id: string;
  readonly name: string;
}

/** Which labels of a repository are states. */
export interface LabelStates {
  /** Takes the repository's labels, all of them, in their order. */
  learn(labels: readonly Label[]): void;
  /** What is asked for is a state, whatever the file says: a contract goes on under the names it had when it last held. */
  take(names: readonly string[]): void;
  /** The label of a state as it is now; undefined when there is none, or when no labels were learnt yet. */
  find(name: string): TrackerState | undefined;
  isLearnt(): boolean;
  /** Whether the label with this id is a state. */
  isState(id: string): boolean;
  read(issue: ListedIssue): LabelState;
}

export type LabelState =
  | { readonly kind: 'state'; readonly state: StateName; readonly labels: readonly Label[] }
  /** Several where one is allowed. */
  | { readonly kind: 'conflict'; readonly states: readonly StateName[] };

/** An open issue that carries no label of a state stands nowhere on the board. */
const noState = 'no state label' as StateName;

/**
 * Reads states off labels. Closed is terminal before any label is looked at. A label that was a state stays one when it is
 * renamed, because it is known by its id. Of several states a terminal one wins: who adds `done` often forgets to take
 * `in progress` away; any other two contradict each other.
 */
export function labelStates(named: NamedStates): LabelStates {
  const { active, handoff, terminal, others } = named;
  const keys = new Set<StateKey>(
    [...active, ...(handoff === undefined ? [] : [handoff]), ...terminal, ...others].map(stateKey),
  );
  const terminalKeys = terminal.map(stateKey);
  const ids = new Set<string>();
  let live: readonly Label[] | undefined;

  const isState = ({ id, name }: Label) => ids.has(id) || keys.has(stateKey(name));
  const learnIds = () => {
    for (const label of live ?? []) if (isState(label)) ids.add(label.id);
  };
  return {
    learn(labels) {
      live = labels;
      learnIds();
    },
    take(names) {
      for (const name of names) keys.add(stateKey(name));
      learnIds();
    },
    find(name) {
      const found = live?.find((label) => stateKey(label.name) === stateKey(name));
      return found && { id: found.id, name: found.name as StateName };
    },
    isLearnt: () => live !== undefined,
    isState: (id) => ids.has(id),
    read(issue) {
      const labels = issue.labels.nodes.filter(isState);
      for (const { id } of labels) ids.add(id);
      if (issue.state === 'CLOSED') return { kind: 'state', state: closedState(issue.stateReason), labels };
      if (labels.length === 0) return { kind: 'state', state: noState, labels };
      const names = labels.map(({ name }) => name as StateName);
      const final = terminalKeys.flatMap((key) => names.find((name) => stateKey(name) === key) ?? [])[0];
      if (names.length === 1 || final !== undefined)
        return { kind: 'state', state: final ?? names[0]!, labels };
      return { kind: 'conflict', states: names };
    },
  };
}
