import { stateKey } from './issue.ts';

/** The states that a workflow names, as written. Absent means that there is none. */
export interface ConfiguredStates {
  readonly active_states: readonly string[];
  readonly in_progress_state?: string | undefined;
  readonly handoff_state?: string | undefined;
  readonly terminal_states: readonly string[];
  readonly merged_state?: string | undefined;
}

/** As they stand in the file, where `null` says that there is none. */
type StatesInFile = Omit<ConfiguredStates, 'in_progress_state' | 'handoff_state'> & {
  readonly in_progress_state?: string | null | undefined;
  readonly handoff_state: string | null;
};

/** Settles the optional states: without a word in the file, `in progress` is written where it is an active state. */
export function settleStates<File extends StatesInFile>(
  file: File,
): Omit<File, 'in_progress_state' | 'handoff_state'> & ConfiguredStates {
  const usual = file.active_states.find((name) => stateKey(name) === 'in progress');
  return {
    ...file,
    in_progress_state: file.in_progress_state === undefined ? usual : (file.in_progress_state ?? undefined),
    handoff_state: file.handoff_state ?? undefined,
  };
}

/** Every configured state with the field it stands in. */
export function listStates(
  states: ConfiguredStates,
): readonly { readonly path: string; readonly name: string }[] {
  return [
    ...states.active_states.map((name, at) => ({ path: `tracker.active_states[${at}]`, name })),
    ...listOptional('tracker.in_progress_state', states.in_progress_state),
    ...listOptional('tracker.handoff_state', states.handoff_state),
    ...states.terminal_states.map((name, at) => ({ path: `tracker.terminal_states[${at}]`, name })),
    ...listOptional('tracker.merged_state', states.merged_state),
  ];
}

function listOptional(path: string, name: string | undefined) {
  return name === undefined ? [] : [{ path, name }];
}
