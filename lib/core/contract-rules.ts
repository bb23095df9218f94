import { type ConfiguredStates, listStates } from './configured-states.ts';
import type { Problem } from './contract.ts';
import { stateKey } from './issue.ts';

type Finding = Omit<Problem, 'rule'>;

interface ContractRule {
  readonly rule: string;
  /** What must hold and what would follow, for docs/workflow.md. */
  readonly says: string;
  readonly check: (tracker: ConfiguredStates) => readonly Finding[];
}

/** What must hold between the states of a workflow file, without asking the board. */
export const contractRules: readonly ContractRule[] = [
  {
    rule: 'active-not-empty',
    says: 'There is at least one active state; without one nothing would ever start.',
    check: ({ active_states }) =>
      findIf(
        active_states.length === 0,
        'tracker.active_states',
        'tracker.active_states is empty: nothing would ever start; name the states an agent should work in',
      ),
  },
  {
    rule: 'names-unique',
    says: 'No state is blank, and none stands twice in one list, ignoring case and surrounding space.',
    check: (tracker) => [...findBlanks(tracker), ...findDuplicates(tracker)],
  },
  {
    rule: 'in-progress-active',
    says: 'The in-progress state is active; else the tick would at once stop the turn that it had just started.',
    check: ({ in_progress_state: name, active_states }) =>
      findIf(
        name !== undefined && !includesState(active_states, name),
        'tracker.in_progress_state',
        `tracker.in_progress_state '${name}' is not among tracker.active_states: the tick would at once stop each turn that it had just started; add it there, or set in_progress_state: null`,
      ),
  },
  {
    rule: 'handoff-not-active',
    says: 'The handoff state is not active; else the tick would at once start work again on what was handed off.',
    check: ({ handoff_state: name, active_states }) =>
      findIf(
        includesState(active_states, name),
        'tracker.handoff_state',
        `tracker.handoff_state '${name}' is also in tracker.active_states: the tick would at once start work again on each issue that was handed off; take it out there, or name another state`,
      ),
  },
  {
    rule: 'handoff-not-in-progress',
    says: 'The handoff state is not the in-progress state; else nobody could tell work from waiting.',
    check: ({ handoff_state: name, in_progress_state }) =>
      findIf(
        in_progress_state !== undefined && includesState([in_progress_state], name),
        'tracker.handoff_state',
        `tracker.handoff_state '${name}' is the same as tracker.in_progress_state: an issue that was handed off would look as if an agent were at work; name another state`,
      ),
  },
  {
    rule: 'handoff-not-terminal',
    says: "The handoff state is not terminal; else handing off would end an issue without a person's look.",
    check: ({ handoff_state: name, terminal_states }) =>
      findIf(
        includesState(terminal_states, name),
        'tracker.handoff_state',
        `tracker.handoff_state '${name}' is also in tracker.terminal_states: handing off would end the issue without a person's look; take it out there, or name another state`,
      ),
  },
  {
    rule: 'active-terminal-disjoint',
    says: 'No state is both active and terminal; else the tick would stop what it should start.',
    check: ({ active_states, terminal_states }) =>
      active_states.flatMap((name, at) =>
        findIf(
          includesState(terminal_states, name),
          `tracker.active_states[${at}]`,
          `state '${name}' is in tracker.active_states and in tracker.terminal_states: no issue in it would ever be worked on; take it out of one of them`,
        ),
      ),
  },
  {
    rule: 'merged-terminal',
    says: 'The merged state is terminal; else merged work would not count as finished.',
    check: ({ merged_state: name, terminal_states }) =>
      findIf(
        name !== undefined && !includesState(terminal_states, name),
        'tracker.merged_state',
        `tracker.merged_state '${name}' is not among tracker.terminal_states: an issue whose pull request was merged would not count as finished; add it there`,
      ),
  },
];

/** Every rule that the workflow breaks, all at once; empty when its contract holds. */
export function checkContract({ tracker }: { readonly tracker: ConfiguredStates }): readonly Problem[] {
  return contractRules.flatMap(({ rule, check }) => check(tracker).map((finding) => ({ rule, ...finding })));
}

function findIf(broken: boolean, path: string, message: string): readonly Finding[] {
  return broken ? [{ path, message }] : [];
}

function includesState(states: readonly string[], name: string | undefined): boolean {
  return name !== undefined && states.some((state) => stateKey(state) === stateKey(name));
}

function findBlanks(tracker: ConfiguredStates): readonly Finding[] {
  return listStates(tracker).flatMap(({ path, name }) =>
    findIf(
      stateKey(name) === '',
      path,
      `${path} is blank: no issue could ever be in it; name a state or take it out`,
    ),
  );
}

function findDuplicates(tracker: ConfiguredStates): readonly Finding[] {
  return (['active_states', 'terminal_states'] as const).flatMap((list) =>
    tracker[list].flatMap((name, at, names) =>
      findIf(
        stateKey(name) !== '' && includesState(names.slice(0, at), name),
        `tracker.${list}[${at}]`,
        `state '${name}' stands twice in tracker.${list}: names are compared without case; take one of them out`,
      ),
    ),
  );
}
