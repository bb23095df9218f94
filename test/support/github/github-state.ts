import { GitHubProjects } from './github-projects.ts';
import { GitHubPulls } from './github-pulls.ts';

/** What a GitHub server holds, and what happens when somebody acts on it. Times are the server's own. */
export interface Account {
  readonly login: string;
  readonly kind: 'User' | 'Bot' | 'Mannequin';
}

export type Permission = 'admin' | 'write' | 'read' | 'none';

export interface Label {
  readonly id: string;
  name: string;
}

export interface Repository {
  readonly id: string;
  owner: string;
  name: string;
  isArchived: boolean;
  hasIssues: boolean;
  readonly labels: Label[];
  readonly issues: Issue[];
  /** By login. */
  readonly permissions: Map<string, Permission>;
}

export interface Issue {
  id: string;
  number: number;
  repository: Repository;
  readonly isPullRequest: boolean;
  title: string;
  body: string;
  state: 'OPEN' | 'CLOSED';
  stateReason: 'COMPLETED' | 'NOT_PLANNED' | 'DUPLICATE' | 'REOPENED' | null;
  locked: boolean;
  labels: Label[];
  readonly events: TimelineEvent[];
  readonly comments: Comment[];
  blockedBy: Issue[];
  subIssues: Issue[];
  assignees: Account[];
  /** Of its body. */
  lastEdit?: { readonly at: number; readonly by: Account | null };
  readonly createdAt: number;
  updatedAt: number;
}

export interface TimelineEvent {
  readonly kind:
    | 'LabeledEvent'
    | 'UnlabeledEvent'
    | 'ClosedEvent'
    | 'ReopenedEvent'
    | 'RenamedTitleEvent'
    | 'ProjectV2ItemStatusChangedEvent';
  readonly id: string;
  /** Of a card that was moved. */
  readonly move?: { readonly project: string; readonly from: string; readonly to: string };
  readonly label: Label | null;
  /** Null where the account is deleted. */
  readonly actor: Account | null;
  readonly at: number;
}

export interface Comment {
  readonly id: string;
  readonly issue: Issue;
  readonly author: Account;
  body: string;
  readonly createdAt: number;
}

export interface NewIssue {
  readonly title?: string;
  readonly body?: string;
  readonly labels?: readonly string[];
  readonly assignees?: readonly string[];
  readonly createdAt?: number;
  readonly isPullRequest?: boolean;
}

export class GitHubState {
  readonly repositories: Repository[] = [];
  readonly accounts = new Map<string, Account>();
  readonly projects = new GitHubProjects(this);
  readonly pulls = new GitHubPulls(this);
  /** Where people find it all in a browser; without a slash at its end. */
  web = 'https://github.invalid';
  /** What repositories were called before: their old names still lead to them. */
  readonly formerNames = new Map<string, Repository>();
  /** Where a list lags behind: what it shows instead of the issues as they are. */
  staleList: ReadonlyMap<string, Pick<Issue, 'state' | 'labels'>> | undefined;
  #ids = 0;
  #clock: () => number;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock();
  }

  nextId(prefix: string): string {
    this.#ids += 1;
    return `${prefix}_kwDO${String(this.#ids).padStart(6, '0')}`;
  }

  /** Issues and pull requests are numbered together. */
  nextNumber(repository: Repository): number {
    const pulls = this.pulls.all.filter((pull) => pull.repository === repository);
    return Math.max(0, ...[...repository.issues.slice(-1), ...pulls].map(({ number }) => number)) + 1;
  }

  account(login: string, kind: Account['kind'] = 'User'): Account {
    const account = this.accounts.get(login) ?? { login, kind };
    this.accounts.set(login, account);
    return account;
  }

  repository(fullName: string, labels: readonly string[] = []): Repository {
    const [owner = '', name = ''] = fullName.split('/');
    const found = this.repositories.find((one) => one.owner === owner && one.name === name);
    if (found !== undefined) return found;
    const made: Repository = {
      id: this.nextId('R'),
      owner,
      name,
      isArchived: false,
      hasIssues: true,
      labels: [],
      issues: [],
      permissions: new Map(),
    };
    for (const label of labels) this.label(made, label);
    this.repositories.push(made);
    return made;
  }

  label(repository: Repository, name: string): Label {
    const found = repository.labels.find((label) => label.name.toLowerCase() === name.toLowerCase());
    if (found !== undefined) return found;
    const made = { id: this.nextId('LA'), name };
    repository.labels.push(made);
    return made;
  }

  addIssue(repository: Repository, author: Account, fields: NewIssue = {}): Issue {
    const at = fields.createdAt ?? this.now();
    const issue: Issue = {
      id: this.nextId(fields.isPullRequest ? 'PR' : 'I'),
      number: this.nextNumber(repository),
      repository,
      isPullRequest: fields.isPullRequest ?? false,
      title: fields.title ?? 'An issue',
      body: fields.body ?? '',
      state: 'OPEN',
      stateReason: null,
      locked: false,
      labels: [],
      events: [],
      comments: [],
      blockedBy: [],
      subIssues: [],
      assignees: (fields.assignees ?? []).map((login) => this.account(login)),
      createdAt: at,
      updatedAt: at,
    };
    repository.issues.push(issue);
    for (const label of fields.labels ?? []) this.addLabel(issue, this.label(repository, label), author);
    return issue;
  }

  addLabel(issue: Issue, label: Label, actor: Account | null): void {
    if (issue.labels.includes(label)) return;
    issue.labels = [...issue.labels, label];
    this.tell(issue, 'LabeledEvent', label, actor);
  }

  removeLabel(issue: Issue, label: Label, actor: Account | null): void {
    if (!issue.labels.includes(label)) return;
    issue.labels = issue.labels.filter((one) => one !== label);
    this.tell(issue, 'UnlabeledEvent', label, actor);
  }

  addComment(issue: Issue, author: Account, body: string): Comment {
    const comment = { id: this.nextId('IC'), issue, author, body, createdAt: this.now() };
    issue.comments.push(comment);
    issue.updatedAt = this.now();
    return comment;
  }

  /** Takes the issue out of its repository: deleted, or moved on to where this server does not look. */
  removeIssue(issue: Issue): void {
    const { issues } = issue.repository;
    issues.splice(issues.indexOf(issue), 1);
  }

  allIssues(): readonly Issue[] {
    return this.repositories.flatMap(({ issues }) => issues);
  }

  holdLists(): void {
    this.staleList = new Map(this.allIssues().map(({ id, state, labels }) => [id, { state, labels }]));
  }

  releaseLists(): void {
    this.staleList = undefined;
  }

  /** Adds to the issue's timeline. */
  tell(issue: Issue, kind: TimelineEvent['kind'], label: Label | null, actor: Account | null): void {
    issue.events.push({ kind, id: this.nextId('LE'), label, actor, at: this.now() });
    issue.updatedAt = this.now();
  }
}
