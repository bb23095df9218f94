import { personalToken } from '../../../lib/adapters/github/credential.ts';
import { githubClient } from '../../../lib/adapters/github/github-client.ts';
import { type ProjectBoardOptions, projectBoard } from '../../../lib/adapters/github/project-board.ts';
import type { Tracker } from '../../../lib/controller/ports.ts';
import type { IssueId } from '../../../lib/core/issue.ts';
import { boardStates, type TrackerWorld } from '../../contracts/tracker-world.ts';
import { buildIssue } from '../build-issue.ts';
import { type GitHubPerson, githubPerson } from './github-person.ts';
import type { Project, ProjectItem } from './github-projects.ts';
import { type GitHubServer, type GitHubServerOptions, githubServer } from './github-server.ts';
import type { Issue, Repository } from './github-state.ts';

/** A project at a GitHub server of its own, the repository of its issues, and hands on them. */
export interface ProjectWorld extends TrackerWorld {
  readonly server: GitHubServer;
  readonly project: Project;
  readonly repository: Repository;
  readonly alice: GitHubPerson;
  card(id: string): ProjectItem;
  issue(id: string): Issue;
  /** A card for a new issue of the repository, or of another one. */
  addCard(
    status: string | undefined,
    repository?: Repository,
  ): { readonly card: ProjectItem; readonly issue: Issue };
  /** Another tracker of the same project, as after a restart. */
  connect(options?: Partial<ProjectBoardOptions>): Tracker;
}

export async function makeProjectWorld(
  options: GitHubServerOptions & {
    readonly board?: Partial<ProjectBoardOptions>;
    readonly ownerKind?: Project['ownerKind'];
  } = {},
): Promise<ProjectWorld> {
  const server = await githubServer(options);
  const { state } = server;
  const { projects } = state;
  const repository = state.repository('acme/web');
  const project = projects.create('acme', 7, boardStates, options.ownerKind ?? 'Organization');
  const alice = githubPerson(state, 'alice', { 'acme/web': 'write' });
  const card = (id: string) => project.items.find((item) => item.id === id)!;
  const issue = (id: string) => card(id).issue!;
  const connect = (more: Partial<ProjectBoardOptions> = {}) =>
    projectBoard({
      client: githubClient({
        credential: personalToken(() => server.token),
        endpoint: server.endpoint,
        userAgent: 'evenkeel/test',
        timing: { readMs: 20_000, writeMs: 20_000, retryMs: 1 },
      }),
      project: 'acme/7',
      repository: 'acme/web',
      states: { active: ['Todo', 'In Progress'], handoff: 'In Review', terminal: ['Done', 'Cancelled'] },
      lateWriteMs: 0,
      ...options.board,
      ...more,
    });
  return {
    server,
    project,
    repository,
    alice,
    card,
    issue,
    addCard(status, where = repository) {
      const made = state.addIssue(where, alice.account);
      return { issue: made, card: projects.add(project, made, status) };
    },
    connect,
    tracker: connect(),
    comparesAndSets: false,
    keepsMoves: false,
    ...handsOn(server, project, repository, alice),
    dispose: () => server.close(),
  };
}

/** What a person does, and what stands on the board. */
function handsOn(
  server: GitHubServer,
  project: Project,
  repository: Repository,
  alice: GitHubPerson,
): Omit<TrackerWorld, 'tracker' | 'comparesAndSets' | 'keepsMoves' | 'dispose'> {
  const { state } = server;
  const { projects } = state;
  const card = (id: string) => project.items.find((item) => item.id === id)!;
  const issue = (id: string) => card(id).issue!;
  return {
    add: async (fields) => {
      const {
        title,
        description,
        state: stands,
        priority,
        labels,
        assignees,
        createdAt,
      } = buildIssue(fields);
      const made = { title, body: description, labels, assignees, ...(createdAt && { createdAt }) };
      const item = projects.add(project, state.addIssue(repository, alice.account, made), stands);
      item.priority = priority === undefined ? undefined : `P${priority}`;
      return item.id as IssueId;
    },
    move: async (id, to) => projects.move(card(id), to, alice.account),
    close: async (id) => alice.close(issue(id)),
    edit: async (id) => alice.edit(issue(id), 'Something else.'),
    remove: async (id) => alice.remove(issue(id)),
    spoil: async (id, how) => {
      if (how === 'unreadable') server.spoilt.add(issue(id).id);
      else card(id).status = { ...projects.valueOf(project, 'In Progress'), name: card(id).status!.name };
    },
    limit: async () => server.useUpQuota(),
    breakDown: async () => server.breakDown(),
    stateOf: async (id) => card(id).status?.name,
    restOf: async (id) => {
      const { title, body, state: open, labels } = issue(id);
      const { priority, isArchived } = card(id);
      return JSON.stringify({
        title,
        body,
        open,
        names: labels.map(({ name }) => name),
        priority,
        isArchived,
      });
    },
    commentsOf: async (id) => issue(id).comments.map(({ body }) => body),
  };
}
