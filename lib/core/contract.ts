import { type ConfiguredStates, listStates } from './configured-states.ts';
import { checkContract } from './contract-rules.ts';
import { type Issue, type StateKey, type StateName, stateKey, type TrackerState } from './issue.ts';
import { nearestName } from './nearest-name.ts';

/** Something wrong with a policy. `path` is the field, `message` says what would follow and what to do. */
export interface Problem {
  readonly rule: string;
  readonly path: string;
  readonly message: string;
}

/** A state as the board writes it, with the key by which it is compared. */
export interface ContractState {
  readonly name: StateName;
  readonly key: StateKey;
}

/** The partition of a board's states by role, in the board's own spelling. */
export interface Contract {
  readonly active: readonly ContractState[];
  /** One of the active states. */
  readonly inProgress: ContractState | undefined;
  readonly handoff: ContractState | undefined;
  readonly terminal: readonly ContractState[];
  /** One of the terminal states. */
  readonly merged: ContractState | undefined;
}

/** The last contract that held, with the tracker's own ids of its states, so that a rename reads as a rename. */
export interface ContractRecord extends Roles {
  readonly policyHash: string;
  /** Every state the board had then, also those without a role. */
  readonly states: readonly TrackerState[];
}

/** Names by role. */
interface Roles<Name extends string = StateName> {
  readonly active: readonly Name[];
  readonly inProgress: Name | undefined;
  readonly handoff: Name | undefined;
  readonly terminal: readonly Name[];
  readonly merged: Name | undefined;
}

export type Role = 'terminal' | 'active' | 'handoff' | 'other' | 'none';

/** What must hold between a policy and the states that the board has now; for docs/workflow.md. */
export const liveRules = [
  { rule: 'state-exists', says: 'Every state that the file names exists on the board.' },
  { rule: 'state-renamed', says: 'A state that got another name on the board gets it in the file, too.' },
] as const;

/** A policy held against the board. While it is invalid, `contract` is the last good one, to stop and settle by. */
export type LiveContract =
  | { readonly valid: true; readonly contract: Contract; readonly record: ContractRecord }
  | { readonly valid: false; readonly problems: readonly Problem[]; readonly contract: Contract | undefined };

const unreadRule = 'board-read';

/** A board that does not tell its states. Nothing is known of it then: neither that the contract holds nor that it does not. */
export function unreadBoard(cause: string): Problem {
  const message = `the board could not be read: ${cause.replace(/\.$/, '')}. Nothing starts until it can be, and what runs goes on`;
  return { rule: unreadRule, path: 'tracker', message };
}

export function isUnread(problems: readonly Problem[]): boolean {
  return problems.length > 0 && problems.every(({ rule }) => rule === unreadRule);
}

/** Closed comes first: it is terminal whatever the state says. `none` is an issue without a (single) state. */
export function roleOf(contract: Contract, issue: Pick<Issue, 'state' | 'closed'>): Role {
  if (issue.closed) return 'terminal';
  if (issue.state === undefined) return 'none';
  const key = stateKey(issue.state);
  if (contract.terminal.some((state) => state.key === key)) return 'terminal';
  if (contract.active.some((state) => state.key === key)) return 'active';
  return contract.handoff?.key === key ? 'handoff' : 'other';
}

/**
 * Holds a workflow against the states that the board has now. `known` is the record of the last contract that held, if
 * any; keep the returned record when the answer is valid, and only then.
 */
export function resolveContract(
  workflow: { readonly tracker: ConfiguredStates; readonly policyHash: string },
  live: readonly TrackerState[],
  known: ContractRecord | undefined,
): LiveContract {
  const problems = [...checkContract(workflow), ...checkStates(workflow.tracker, live, known)];
  if (problems.length > 0) {
    return {
      valid: false,
      problems,
      contract: known && contractOf(alsoByOldNames(followRenames(known, live), known)),
    };
  }
  const roles = resolveRoles(workflow.tracker, live);
  const record = { policyHash: workflow.policyHash, states: live, ...roles };
  return { valid: true, contract: contractOf(roles), record };
}

/** The contract that a record stands for. */
export function contractOf(record: Roles): Contract {
  return {
    active: record.active.map(toContractState),
    inProgress: record.inProgress && toContractState(record.inProgress),
    handoff: record.handoff && toContractState(record.handoff),
    terminal: record.terminal.map(toContractState),
    merged: record.merged && toContractState(record.merged),
  };
}

function toContractState(name: StateName): ContractState {
  return { name, key: stateKey(name) };
}

function checkStates(
  tracker: ConfiguredStates,
  live: readonly TrackerState[],
  known: ContractRecord | undefined,
): readonly Problem[] {
  return listStates(tracker)
    .filter(({ name }) => stateKey(name) !== '' && findByName(live, name) === undefined)
    .map(({ path, name }) => {
      const renamed = findRenamed(name, live, known);
      return renamed === undefined ? reportMissing(path, name, live) : reportRenamed(path, name, renamed);
    });
}

function reportRenamed(path: string, name: string, renamed: TrackerState): Problem {
  return {
    rule: 'state-renamed',
    path,
    message: `state '${name}' is now called '${renamed.name}': nothing starts until ${path} says so too, or the board has its old name back`,
  };
}

function reportMissing(path: string, name: string, live: readonly TrackerState[]): Problem {
  const names = live.map((state) => state.name);
  const nearest = nearestName(name, names);
  const hint = nearest === undefined ? '' : `; did you mean '${nearest}'?`;
  const existing = names.length === 0 ? 'it has no states' : `its states are ${listNames(names)}`;
  return {
    rule: 'state-exists',
    path,
    message: `the board has no state '${name}': nothing starts until ${path} names one that exists${hint} (${existing})`,
  };
}

const namesShown = 30;

function listNames(names: readonly string[]): string {
  const more = names.length - namesShown;
  const shown = names.slice(0, namesShown).map((name) => `'${name}'`);
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}

/**
 * The state that had this name when the contract last held, if it has another name now. A board whose ids are positions
 * shows a removed state as a shift of names that were all there before; that is no rename.
 */
function findRenamed(
  name: string,
  live: readonly TrackerState[],
  known: ContractRecord | undefined,
): TrackerState | undefined {
  if (known === undefined) return undefined;
  const before = findByName(known.states, name);
  const now = live.find((state) => state.id === before?.id);
  return now !== undefined && findByName(known.states, now.name) === undefined ? now : undefined;
}

function findByName(states: readonly TrackerState[], name: string): TrackerState | undefined {
  const key = stateKey(name);
  return states.find((state) => stateKey(state.name) === key);
}

/** The known contract with each name as the board writes it now. */
function followRenames(known: ContractRecord, live: readonly TrackerState[]): Roles {
  return renameStates(
    known,
    (name) => findByName(live, name)?.name ?? findRenamed(name, live, known)?.name ?? name,
  );
}

/**
 * A board may keep issues under a state's old name after a rename (a folder of files does): both names count, so that no
 * running turn is stopped because its column is called something else now.
 */
function alsoByOldNames(renamed: Roles, known: Roles): Roles {
  const both = (now: readonly StateName[], before: readonly StateName[]) => [
    ...now,
    ...before.filter((name) => !now.some((other) => stateKey(other) === stateKey(name))),
  ];
  return {
    ...renamed,
    active: both(renamed.active, known.active),
    terminal: both(renamed.terminal, known.terminal),
  };
}

/** The configured contract in the board's spelling. Every name was found before, so that none is left as the file writes it. */
function resolveRoles(tracker: ConfiguredStates, live: readonly TrackerState[]): Roles {
  const configured: Roles<string> = {
    active: tracker.active_states,
    inProgress: tracker.in_progress_state,
    handoff: tracker.handoff_state,
    terminal: tracker.terminal_states,
    merged: tracker.merged_state,
  };
  return renameStates(configured, (name) => findByName(live, name)!.name);
}

function renameStates<Name extends string>(roles: Roles<Name>, rename: (name: Name) => StateName): Roles {
  const { active, inProgress, handoff, terminal, merged } = roles;
  return {
    active: active.map(rename),
    inProgress: inProgress && rename(inProgress),
    handoff: handoff && rename(handoff),
    terminal: terminal.map(rename),
    merged: merged && rename(merged),
  };
}
