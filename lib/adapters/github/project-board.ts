import type { FreshIssue, Tracker, Written } from '../../controller/ports.ts';
import type { Instant, IssueId, Reading, StateName } from '../../core/issue.ts';
import { findCard } from './find-issue.ts';
import type { GitHubClient } from './github-client.ts';
import { ownRepository, projectAddress } from './project-address.ts';
import { type CardReading, projectCards } from './project-cards.ts';
import { moveByStatus } from './project-move.ts';
import { projectStates } from './project-states.ts';
import { projectSurvey } from './project-survey.ts';
import { describeWorkflows } from './project-workflows.ts';
import { refuseReopening } from './refuse-write.ts';
import { putComment } from './status-comment.ts';

export interface ProjectBoardOptions {
  readonly client: GitHubClient;
  /** `owner/number`. */
  readonly project: string;
  /** `owner/repo` of the same host; without it, issues of every repository count. */
  readonly repository: string | undefined;
  readonly states: {
    readonly active: readonly string[];
    readonly handoff: string | undefined;
    readonly terminal: readonly string[];
  };
  /** How long a write of a dead process may still land. */
  readonly lateWriteMs: number;
  readonly now?: () => Instant;
}

/**
 * A board that is a GitHub project of an organisation or a user: an issue's state is the Status of its card, and closing it
 * is terminal whatever its column. An issue is known by its card. A card that was deleted, or whose issue was transferred
 * to a repository that is not ours, is gone; one that this token may not see is unknown.
 *
 * Closing and columns are separate fields: a move can never reopen, and never overwrites a close. Who moved a card is not
 * told reliably, so whoever may move cards may start work, and there is no record of moves.
 */
export function projectBoard(options: ProjectBoardOptions): Tracker {
  const { client, project, now = Date.now } = options;
  const address = projectAddress(project, options.repository);
  const states = projectStates(project);
  const own = ownRepository();
  const cards = projectCards({ client, address, own, states });
  const survey = projectSurvey({ client, address, named: options.states, states, own, now });
  const refusedReopening = refuseReopening(options.states.terminal);
  const read = new WeakMap<FreshIssue, Extract<CardReading, { kind: 'found' }>>();

  async function readMany(ids: readonly IssueId[]): Promise<ReadonlyMap<IssueId, Reading<FreshIssue>>> {
    const answered = new Map<IssueId, Reading<FreshIssue>>();
    for (const [id, one] of await cards.readMany(ids)) {
      if (one.kind === 'found') read.set(one.issue as FreshIssue, one);
      answered.set(id, one.kind === 'found' ? { kind: 'found', issue: one.issue as FreshIssue } : one);
    }
    return answered;
  }

  function cardOf(issue: FreshIssue) {
    const found = read.get(issue);
    if (found !== undefined) return found;
    throw new Error(`${issue.key} was not read from this board; read it before writing it.`);
  }

  async function move(issue: FreshIssue, to: StateName): Promise<Written> {
    const { card, viewer } = cardOf(issue);
    const option = states.find(to);
    if (option === undefined)
      return {
        kind: 'rejected',
        problem: `the project ${project} has no status '${to}'; add it, or correct the file.`,
      };
    if (card.isArchived)
      return { kind: 'rejected', problem: `the card of ${issue.key} is archived; restore it to move it.` };
    return moveByStatus(client, states, { card, viewer, to: option });
  }

  return {
    lateWriteMs: options.lateWriteMs,
    separateFields: true,
    quota: client.spent,
    states: survey.states,
    notices: () => describeWorkflows(client, address),
    list: async (names) =>
      names.length === 0 ? { issues: [], broken: [] } : cards.describeList(await survey.list(names), names),
    async count(state) {
      const { nodes, more } = await survey.count(state);
      return cards.countIn(nodes, state) + more;
    },
    find: (key) => findCard(client, address, key),
    read: async (id) => (await readMany([id])).get(id) ?? { kind: 'unknown', problem: 'it was not read' },
    readMany,
    transition: async (issue, to) => refusedReopening(issue, to) ?? move(issue, to),
    restore: move,
    moves: async () => undefined,
    comment: (issue, comment) => putComment(client, cardOf(issue).card.content.id, comment),
  };
}
