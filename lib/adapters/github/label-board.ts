import type { FreshIssue, Tracker, Written } from '../../controller/ports.ts';
import type { Instant, IssueId, Reading, StateName, TrackerState } from '../../core/issue.ts';
import { findIssue } from './find-issue.ts';
import type { GitHubClient } from './github-client.ts';
import type { WholeIssue } from './issue-fields.ts';
import { listMoves } from './label-history.ts';
import { labelIssues } from './label-issues.ts';
import { moveByLabels } from './label-move.ts';
import { labelStates, type NamedStates } from './label-states.ts';
import { labelSurvey } from './label-survey.ts';
import { refuseReopening } from './refuse-write.ts';
import { putComment } from './status-comment.ts';
import { type TrustRule, trustedActors } from './trusted-actors.ts';

export interface LabelBoardOptions {
  readonly client: GitHubClient;
  /** `owner/repo`. */
  readonly project: string;
  readonly states: NamedStates;
  readonly trusted: TrustRule;
  /** How long a write of a dead process may still land. */
  readonly lateWriteMs: number;
  readonly now?: () => Instant;
}

/**
 * A board that is a GitHub repository: an issue's state is its one label of those that the workflow names, and closing it
 * is terminal whatever its labels say. An open issue without such a label stands in no state, and is nobody's to start.
 * Pull requests are no issues. An issue that was deleted, transferred or made a discussion is gone.
 *
 * Closing and labels are separate fields: a move can never reopen, and never overwrites a close. Labels are added and
 * taken away one by one. Who moved an issue is read off its timeline.
 */
export function labelBoard(options: LabelBoardOptions): Tracker {
  const { client, project, now = Date.now } = options;
  const [owner = '', name = ''] = project.split('/');
  const states = labelStates(options.states);
  const actors = trustedActors(client, project, options.trusted, now);
  const survey = labelSurvey({ client, owner, name, named: options.states, states, now });
  const issues = labelIssues({ client, owner, name, states, actors, now });
  const refusedReopening = refuseReopening(options.states.terminal);
  const read = new WeakMap<FreshIssue, WholeIssue>();

  async function readMany(ids: readonly IssueId[]): Promise<ReadonlyMap<IssueId, Reading<FreshIssue>>> {
    const answered = new Map<IssueId, Reading<FreshIssue>>();
    for (const [id, one] of await issues.readMany(ids)) {
      if (one.kind === 'found') read.set(one.issue as FreshIssue, one.whole);
      answered.set(id, one.kind === 'found' ? { kind: 'found', issue: one.issue as FreshIssue } : one);
    }
    return answered;
  }

  /** The label of a state, looked for once more where it may have been made since. */
  async function findLabel(to: StateName): Promise<TrackerState | undefined> {
    states.take([to]);
    const known = states.find(to);
    if (known !== undefined) return known;
    await survey.states();
    return states.find(to);
  }

  async function move(issue: FreshIssue, to: StateName): Promise<Written> {
    const whole = read.get(issue);
    if (whole === undefined)
      throw new Error(`${issue.key} was not read from this board; read it before moving it.`);
    const label = await findLabel(to);
    if (label === undefined)
      return { kind: 'rejected', problem: `${project} has no label '${to}'; make it, or correct the file.` };
    const from = states.read(whole);
    return moveByLabels(client, states, {
      issue: issue.id,
      to: label,
      from: from.kind === 'state' ? from.labels.map(({ id }) => id) : [],
      wasClosed: issue.closed,
    });
  }

  return {
    lateWriteMs: options.lateWriteMs,
    separateFields: true,
    quota: client.spent,
    states: survey.states,
    notices: async () => [],
    list: async (names) =>
      names.length === 0 ? { issues: [], broken: [] } : issues.describeList(await survey.list(names), names),
    count: survey.count,
    find: (key) => findIssue(client, project, key),
    read: async (id) => (await readMany([id])).get(id) ?? { kind: 'unknown', problem: 'it was not read' },
    readMany,
    transition: async (issue, to) => refusedReopening(issue, to) ?? move(issue, to),
    restore: move,
    moves: async (id) => {
      const found = (await issues.readMany([id])).get(id);
      if (found?.kind === 'unknown') throw new Error(found.problem);
      if (found?.kind !== 'found') return [];
      return listMoves(found.whole, states, found.viewer);
    },
    comment: (issue, comment) => putComment(client, issue.id, comment),
  };
}
