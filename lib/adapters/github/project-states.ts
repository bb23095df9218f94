import { type StateName, stateKey, type TrackerState } from '../../core/issue.ts';
import { closedState } from './issue-fields.ts';
import type { ProjectFields } from './project-queries.ts';

/** The columns of a project: the options of its Status field, and which of them a card stands in. */
export interface ProjectStates {
  /** Takes what the vendor says of the project now. Throws when it has no such field. */
  learn(fields: ProjectFields): void;
  /** In the order of the board. */
  all(): readonly TrackerState[];
  find(name: string): TrackerState | undefined;
  /** What a card is moved by, as it was learnt last. */
  field(): { readonly project: string; readonly field: string } | undefined;
  read(card: StandingCard): CardState;
}

/** As much of a card as says where it stands. */
export interface StandingCard {
  readonly isArchived: boolean;
  readonly status:
    | { readonly optionId?: string | null | undefined; readonly name?: string | null | undefined }
    | undefined;
  readonly content: {
    readonly state: 'OPEN' | 'CLOSED';
    readonly stateReason?: string | null | undefined;
  };
}

export type CardState =
  | { readonly kind: 'state'; readonly state: StateName }
  /** The vendor's id says one column, and its name another one. */
  | { readonly kind: 'conflict'; readonly states: readonly StateName[] };

const noStatus = 'no status' as StateName;
const archived = 'archived card' as StateName;

/**
 * Reads the columns of cards. Closed comes before the column, and an archived card stands in none. A status is known by
 * its option's id; where the options were written anew, so that this id is none any more, by its exact name.
 */
export function projectStates(project: string): ProjectStates {
  let known: { readonly id: string; readonly field: string; readonly options: readonly TrackerState[] };
  let isLearnt = false;
  const all = () => (isLearnt ? known.options : []);
  const find = (name: string) => all().find((option) => stateKey(option.name) === stateKey(name));

  return {
    learn({ id, field }) {
      if (field?.id === undefined || field.options === undefined)
        throw new Error(
          `the project ${project} has no field Status with single selection; give it one, because its options are the columns`,
        );
      const options = field.options.map((one) => ({ id: one.id, name: one.name as StateName }));
      known = { id, field: field.id, options };
      isLearnt = true;
    },
    all,
    find,
    field: () => (isLearnt ? { project: known.id, field: known.field } : undefined),
    read({ content, isArchived, status }) {
      if (content.state === 'CLOSED') return { kind: 'state', state: closedState(content.stateReason) };
      if (isArchived) return { kind: 'state', state: archived };
      if (status === undefined) return { kind: 'state', state: noStatus };
      const byId = all().find(({ id }) => id === status.optionId);
      const byName = typeof status.name === 'string' ? find(status.name) : undefined;
      if (byId !== undefined && byName !== undefined && byId.id !== byName.id)
        return { kind: 'conflict', states: [byId.name, byName.name] };
      const name = byId?.name ?? byName?.name ?? (status.name as StateName | null | undefined);
      return { kind: 'state', state: name ?? noStatus };
    },
  };
}

/**
 * The vendor's filter for cards in one of these columns; undefined where a name cannot be written in it, and the whole
 * board has to be read. https://docs.github.com/issues/planning-and-tracking-with-projects/customizing-views-in-your-project/filtering-projects
 */
export function filterOf(names: readonly string[], more = ''): string | undefined {
  if (names.length === 0 || names.some((name) => /["\\\n]/.test(name))) return undefined;
  return `status:${names.map((name) => `"${name}"`).join(',')}${more}`;
}
