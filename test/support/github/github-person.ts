import type { Account, GitHubState, Issue, Permission, Repository } from './github-state.ts';

/** Somebody who acts on a repository in a browser. */
export interface GitHubPerson {
  readonly account: Account;
  label(issue: Issue, name: string): void;
  unlabel(issue: Issue, name: string): void;
  /** Puts the label and takes away every other one of these. */
  move(issue: Issue, to: string, states: readonly string[]): void;
  close(issue: Issue, reason?: 'COMPLETED' | 'NOT_PLANNED' | 'DUPLICATE'): void;
  reopen(issue: Issue): void;
  edit(issue: Issue, body: string): void;
  rename(issue: Issue, title: string): void;
  comment(issue: Issue, body: string): void;
  renameLabel(repository: Repository, from: string, to: string): void;
  deleteLabel(repository: Repository, name: string): void;
  /** To another repository: it gets a new id and number there. */
  transfer(issue: Issue, to: Repository): Issue;
  /** Deleted, or converted to a discussion: its id leads nowhere. */
  remove(issue: Issue): void;
}

export function githubPerson(
  state: GitHubState,
  login: string,
  permissions: Readonly<Record<string, Permission>> = {},
  kind: Account['kind'] = 'User',
): GitHubPerson {
  const account = state.account(login, kind);
  for (const [name, permission] of Object.entries(permissions))
    state.repository(name).permissions.set(login, permission);
  const touch = (issue: Issue) => {
    issue.updatedAt = state.now();
  };
  const find = (repository: Repository, name: string) =>
    repository.labels.find((label) => label.name.toLowerCase() === name.toLowerCase());
  const person: GitHubPerson = {
    account,
    label: (issue, name) => state.addLabel(issue, state.label(issue.repository, name), account),
    unlabel(issue, name) {
      const label = find(issue.repository, name);
      if (label !== undefined) state.removeLabel(issue, label, account);
    },
    move(issue, to, states) {
      for (const name of states) if (name !== to) person.unlabel(issue, name);
      person.label(issue, to);
    },
    close(issue, reason = 'COMPLETED') {
      Object.assign(issue, { state: 'CLOSED', stateReason: reason });
      state.tell(issue, 'ClosedEvent', null, account);
    },
    reopen(issue) {
      Object.assign(issue, { state: 'OPEN', stateReason: 'REOPENED' });
      state.tell(issue, 'ReopenedEvent', null, account);
    },
    edit(issue, body) {
      issue.body = body;
      issue.lastEdit = { at: state.now(), by: account };
      touch(issue);
    },
    rename(issue, title) {
      issue.title = title;
      state.tell(issue, 'RenamedTitleEvent', null, account);
    },
    comment: (issue, body) => void state.addComment(issue, account, body),
    renameLabel(repository, from, to) {
      find(repository, from)!.name = to;
    },
    deleteLabel(repository, name) {
      const label = find(repository, name)!;
      repository.labels.splice(repository.labels.indexOf(label), 1);
      for (const issue of repository.issues) issue.labels = issue.labels.filter((one) => one !== label);
    },
    transfer(issue, to) {
      state.removeIssue(issue);
      return state.addIssue(to, account, {
        title: issue.title,
        body: issue.body,
        labels: issue.labels.map(({ name }) => name),
      });
    },
    remove: (issue) => state.removeIssue(issue),
  };
  return person;
}
