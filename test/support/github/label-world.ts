import { personalToken } from '../../../lib/adapters/github/credential.ts';
import { githubClient } from '../../../lib/adapters/github/github-client.ts';
import { type LabelBoardOptions, labelBoard } from '../../../lib/adapters/github/label-board.ts';
import type { IssueId } from '../../../lib/core/issue.ts';
import { boardStates, type TrackerWorld } from '../../contracts/tracker-world.ts';
import { buildIssue } from '../build-issue.ts';
import { type GitHubPerson, githubPerson } from './github-person.ts';
import { type GitHubServer, type GitHubServerOptions, githubServer } from './github-server.ts';
import type { Issue, Repository } from './github-state.ts';

/** A board of labels at a GitHub server of its own, and hands on it. */
export interface LabelWorld extends TrackerWorld {
  readonly server: GitHubServer;
  readonly repository: Repository;
  /** Somebody who may write. */
  readonly alice: GitHubPerson;
  issue(id: string): Issue;
  /** Another board of the same repository, as after a restart. */
  connect(options?: Partial<LabelBoardOptions>): TrackerWorld['tracker'];
}

const project = 'acme/web';

export async function makeLabelWorld(
  options: GitHubServerOptions & { readonly board?: Partial<LabelBoardOptions> } = {},
): Promise<LabelWorld> {
  const server = await githubServer(options);
  const { state } = server;
  const repository = state.repository(project, boardStates);
  const alice = githubPerson(state, 'alice', { [project]: 'write' });
  const find = (id: string) => state.allIssues().find((issue) => issue.id === id);
  const need = (id: string) => find(id)!;
  const connect = (more: Partial<LabelBoardOptions> = {}) =>
    labelBoard({
      client: githubClient({
        credential: personalToken(() => server.token),
        endpoint: server.endpoint,
        userAgent: 'evenkeel/test',
        timing: { readMs: 20_000, writeMs: 20_000, retryMs: 1 },
      }),
      project,
      states: {
        active: ['todo', 'in progress'],
        handoff: 'in review',
        terminal: ['done', 'cancelled'],
        others: ['backlog'],
      },
      trusted: 'write',
      lateWriteMs: 0,
      ...options.board,
      ...more,
    });
  return {
    server,
    repository,
    alice,
    issue: need,
    connect,
    tracker: connect(),
    comparesAndSets: false,
    keepsMoves: true,
    add: async (fields) => {
      const issue = buildIssue(fields);
      const { title, description, state: stands, priority, labels, assignees, createdAt } = issue;
      const all = [
        ...labels,
        ...(priority === undefined ? [] : [`priority: ${priority}`]),
        ...(stands === undefined ? [] : [stands]),
      ];
      const made = { title, body: description, labels: all, assignees, ...(createdAt && { createdAt }) };
      return state.addIssue(repository, alice.account, made).id as IssueId;
    },
    move: async (id, to) => alice.move(need(id), to, boardStates),
    close: async (id) => alice.close(need(id)),
    edit: async (id) => alice.edit(need(id), 'Something else.'),
    remove: async (id) => alice.remove(need(id)),
    spoil: async (id, how) => {
      if (how === 'unreadable') server.spoilt.add(id);
      else alice.label(need(id), 'In Progress');
    },
    limit: async () => server.useUpQuota(),
    breakDown: async () => server.breakDown(),
    ...sightOf(need),
    dispose: () => server.close(),
  };
}

/** What stands on the board, seen without asking through the tracker. */
function sightOf(need: (id: string) => Issue): Pick<TrackerWorld, 'stateOf' | 'restOf' | 'commentsOf'> {
  return {
    stateOf: async (id) => {
      const names = need(id).labels.map(({ name }) => name);
      return boardStates.filter((name) => names.includes(name)).join(' + ') || undefined;
    },
    restOf: async (id) => {
      const { title, body, state: open, labels } = need(id);
      const names = labels.map(({ name }) => name).filter((name) => !boardStates.includes(name));
      return JSON.stringify({ title, body, open, names });
    },
    commentsOf: async (id) => need(id).comments.map(({ body }) => body),
  };
}
