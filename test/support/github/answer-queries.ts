import { type PageArguments, pageOf, typedError } from './answer-page.ts';
import { viewPull, viewPulls } from './answer-pulls.ts';
import type { ProjectItem } from './github-projects.ts';
import type {
  Account,
  Comment,
  GitHubState,
  Issue,
  Label,
  Repository,
  TimelineEvent,
} from './github-state.ts';

type View = Record<string, unknown>;

const stamp = (at: number) => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');

/** The objects of a server as its schema shows them. A view is lazy: what a query does not ask for is not made. */
export class Views {
  readonly state: GitHubState;
  readonly viewer: () => Account;
  readonly #spoilt: ReadonlySet<string>;

  constructor(state: GitHubState, viewer: () => Account, spoilt: ReadonlySet<string>) {
    this.#spoilt = spoilt;
    this.state = state;
    this.viewer = viewer;
  }

  account(account: Account | null): View | null {
    return account && { __typename: account.kind, id: `U_${account.login}`, login: account.login };
  }

  label(label: Label): View {
    return { __typename: 'Label', ...label };
  }

  repository(repository: Repository): View {
    return {
      __typename: 'Repository',
      id: repository.id,
      name: repository.name,
      nameWithOwner: `${repository.owner}/${repository.name}`,
      isArchived: repository.isArchived,
      hasIssuesEnabled: repository.hasIssues,
      ...viewPulls(this.state, repository),
      issueOrPullRequest: ({ number }: { number: number }) => {
        const found = repository.issues.find((issue) => issue.number === number);
        if (found !== undefined) return this.issue(found);
        throw typedError(
          'NOT_FOUND',
          `Could not resolve to an issue or pull request with the number of ${number}.`,
        );
      },
      labels: (asked: PageArguments) => pageOf(repository.labels, (one) => this.label(one), asked),
      issues: (asked: PageArguments & { states?: readonly string[]; labels?: readonly string[] }) => {
        const shown = repository.issues.filter(
          (issue) => !issue.isPullRequest && isListed(this.asListed(issue), asked),
        );
        return pageOf(shown, (issue) => this.issue(this.asListed(issue)), asked);
      },
    };
  }

  /** A list may lag behind. */
  asListed(issue: Issue): Issue {
    const before = this.state.staleList?.get(issue.id);
    return before === undefined ? issue : { ...issue, ...before };
  }

  issue(issue: Issue): View {
    const open = issue.blockedBy.filter(({ state }) => state === 'OPEN').length;
    const all = issue.blockedBy.length;
    return {
      __typename: issue.isPullRequest ? 'PullRequest' : 'Issue',
      id: issue.id,
      number: issue.number,
      title: issue.title,
      body: issue.body,
      url: `${this.state.web}/${issue.repository.owner}/${issue.repository.name}/issues/${issue.number}`,
      state: issue.state,
      stateReason: ({ enableDuplicate }: { enableDuplicate?: boolean }) =>
        issue.stateReason === 'DUPLICATE' && !enableDuplicate ? 'NOT_PLANNED' : issue.stateReason,
      locked: issue.locked,
      createdAt: this.#spoilt.has(issue.id) ? 'never' : stamp(issue.createdAt),
      updatedAt: stamp(issue.updatedAt),
      lastEditedAt: issue.lastEdit === undefined ? null : stamp(issue.lastEdit.at),
      editor: this.account(issue.lastEdit?.by ?? null),
      repository: () => this.repository(issue.repository),
      labels: (asked: PageArguments) => pageOf(issue.labels, (one) => this.label(one), asked),
      issueDependenciesSummary: { blockedBy: open, totalBlockedBy: all, blocking: 0, totalBlocking: 0 },
      subIssuesSummary: {
        total: issue.subIssues.length,
        completed: issue.subIssues.filter(({ state }) => state === 'CLOSED').length,
        percentCompleted: 0,
      },
      blockedBy: (asked: PageArguments) => pageOf(issue.blockedBy, (one) => this.issue(one), asked),
      subIssues: (asked: PageArguments) => pageOf(issue.subIssues, (one) => this.issue(one), asked),
      projectItems: (asked: PageArguments) => {
        const { projects } = this.state;
        const items = projects.all.flatMap((project) => projects.itemsOf(project));
        return pageOf(
          items.filter((item) => item.issue === issue),
          (item) => this.item(item),
          asked,
        );
      },
      assignees: (asked: PageArguments) => pageOf(issue.assignees, (one) => this.account(one), asked),
      comments: (asked: PageArguments) => pageOf(issue.comments, (one) => this.comment(one), asked),
      timelineItems: (asked: PageArguments & { itemTypes?: readonly string[] }) => {
        const kinds = (asked.itemTypes ?? []).map((type) => type.toLowerCase().replaceAll('_', ''));
        const shown = issue.events.filter(({ kind }) => kinds.includes(kind.toLowerCase()));
        return pageOf(shown, (one) => this.event(one), asked);
      },
    };
  }

  event(event: TimelineEvent): View {
    return {
      __typename: event.kind,
      id: event.id,
      createdAt: stamp(event.at),
      actor: this.account(event.actor),
      label: event.label && this.label(event.label),
      previousStatus: event.move?.from,
      status: event.move?.to,
      project: event.move && { id: event.move.project },
    };
  }

  comment(comment: Comment): View {
    return {
      __typename: 'IssueComment',
      id: comment.id,
      body: comment.body,
      viewerDidAuthor: comment.author.login === this.viewer().login,
      viewerCanUpdate: comment.author.login === this.viewer().login,
      author: this.account(comment.author),
      issue: () => this.issue(comment.issue),
    };
  }

  node(id: string): View | undefined {
    const issues = this.state.allIssues();
    const issue = issues.find((one) => one.id === id);
    if (issue !== undefined) return this.issue(issue);
    const comment = issues.flatMap(({ comments }) => comments).find((one) => one.id === id);
    if (comment !== undefined) return this.comment(comment);
    const label = this.state.repositories.flatMap(({ labels }) => labels).find((one) => one.id === id);
    if (label !== undefined) return this.label(label);
    const pull = this.state.pulls.all.find((one) => one.id === id);
    if (pull !== undefined) return viewPull(this.state, pull);
    const item = this.state.projects.find(id);
    return item && this.item(item);
  }

  /** A card. Of an issue that the token may not see, it shows that there is something. */
  item(item: ProjectItem, show: (issue: Issue) => Issue = (issue) => issue): View {
    const { issue } = item;
    return {
      __typename: 'ProjectV2Item',
      id: item.id,
      type: item.isHidden ? 'REDACTED' : item.type,
      isArchived: item.isArchived,
      project: {
        id: item.project.id,
        number: item.project.number,
        owner: { __typename: item.project.ownerKind, login: item.project.owner },
      },
      fieldValueByName: ({ name }: { name: string }) => selectedIn(item, name),
      content: () => {
        if (item.isHidden) return null;
        return issue === undefined
          ? { __typename: 'DraftIssue', id: `DI_${item.id}`, title: 'A draft' }
          : this.issue(show(issue));
      },
    };
  }
}

function selectedIn({ project, status, priority }: ProjectItem, name: string): View | null {
  if (name === 'Priority' && typeof priority === 'number')
    return { __typename: 'ProjectV2ItemFieldNumberValue', number: priority };
  const option = priority === undefined ? undefined : { optionId: 'p', name: priority };
  const value = name === 'Priority' ? option : name === project.field?.name ? status : undefined;
  return value === undefined ? null : { __typename: 'ProjectV2ItemFieldSingleSelectValue', ...value };
}

function isListed(
  issue: Issue,
  { states, labels }: { states?: readonly string[]; labels?: readonly string[] },
): boolean {
  if (states !== undefined && states !== null && !states.includes(issue.state)) return false;
  return labels === undefined || labels === null || issue.labels.some(({ name }) => labels.includes(name));
}

/** The roots of queries. What is not there comes back as null with a `NOT_FOUND` error, beside what is. */
export function answerQueries(views: Views): View {
  const { state } = views;
  const missing = (id: string) =>
    typedError('NOT_FOUND', `Could not resolve to a node with the global id of '${id}'.`);
  return {
    viewer: () => views.account(views.viewer()),
    repository: ({ owner, name }: { owner: string; name: string }) => {
      const found =
        state.repositories.find((one) => one.owner === owner && one.name === name) ??
        state.formerNames.get(`${owner}/${name}`);
      if (found !== undefined) return views.repository(found);
      throw typedError('NOT_FOUND', `Could not resolve to a Repository with the name '${owner}/${name}'.`);
    },
    node: ({ id }: { id: string }) => {
      const found = views.node(id);
      if (found === undefined) throw missing(id);
      return found;
    },
    nodes: ({ ids }: { ids: readonly string[] }) => ids.map((id) => views.node(id) ?? missing(id)),
  };
}
