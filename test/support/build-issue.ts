import type { Blocker, Issue, IssueId, IssueKey, Mover, StateName } from '../../lib/core/issue.ts';

/** An issue's fields as plain text, for tests; whatever is left out is unremarkable. */
export interface IssueFields {
  readonly id?: string;
  readonly key?: string;
  readonly title?: string;
  readonly description?: string;
  readonly url?: string | undefined;
  readonly state?: string | undefined;
  readonly conflictingStates?: readonly string[];
  readonly closed?: boolean;
  readonly labels?: readonly string[];
  readonly priority?: Issue['priority'];
  readonly blockers?: readonly { readonly key: string; readonly open: Blocker['open'] }[];
  readonly assignees?: readonly string[];
  readonly createdAt?: number | undefined;
  readonly movedBy?: Mover;
  readonly trusted?: Issue['trusted'];
}

/** An open, trusted, unblocked issue in `Todo`, with the given fields in their place. Without an id, the key is its id. */
export function buildIssue(fields: IssueFields = {}): Issue {
  const key = fields.key ?? fields.id ?? 'T-1';
  const issue = {
    title: `Title of ${key}`,
    description: `What ${key} asks for.`,
    url: undefined,
    state: 'Todo',
    conflictingStates: [],
    closed: false,
    labels: [],
    priority: undefined,
    blockers: [],
    assignees: [],
    createdAt: 0,
    movedBy: 'person' as const,
    trusted: true,
    ...fields,
    id: fields.id ?? key,
    key,
  };
  return {
    ...issue,
    id: issue.id as IssueId,
    key: issue.key as IssueKey,
    state: issue.state as StateName | undefined,
    conflictingStates: issue.conflictingStates as readonly StateName[],
    blockers: issue.blockers as readonly Blocker[],
  };
}
