import type { Instant, TrackerState } from '../../core/issue.ts';
import { demandWhole, type GitHubClient, type QueryError } from './github-client.ts';
import { GitHubError } from './github-error.ts';
import { keepAhead } from './keep-ahead.ts';
import { type Page, pageReader } from './list-pages.ts';
import { type OwnRepository, type ProjectAddress, variablesOf } from './project-address.ts';
import {
  type CountedPage,
  countCards,
  listCards,
  type SurveyedProject,
  surveyProject,
} from './project-queries.ts';
import { filterOf, type ProjectStates } from './project-states.ts';

/** Reads a project as a whole. */
export interface ProjectSurvey {
  /** The columns. Throws when they could not be read, or nothing could be written there. */
  states(next?: 'list'): Promise<readonly TrackerState[]>;
  /** The cards in these columns, as they came, and maybe others; all or a throw. */
  list(names: readonly string[]): Promise<readonly unknown[]>;
  /** Cards in this column: the first of them as they came, and how many more there are. */
  count(name: string): Promise<{ readonly nodes: readonly unknown[]; readonly more: number }>;
}

export interface ProjectSurveyOptions {
  readonly client: GitHubClient;
  readonly address: ProjectAddress;
  readonly named: { readonly active: readonly string[]; readonly handoff: string | undefined };
  readonly states: ProjectStates;
  readonly own: OwnRepository;
  readonly now: () => Instant;
}

/** The vendor leaves out what is closed already; without this, a column that nobody clears would fill its pages. */
const openIssues = ' is:issue is:open';

/**
 * The vendor filters cards by their column, so that a tick asks for the active ones only; one request asks for the contract
 * and the first pages as well, because a tick asks for these one after the other.
 */
export function projectSurvey({
  client,
  address,
  named,
  states,
  own,
  now,
}: ProjectSurveyOptions): ProjectSurvey {
  const pages = pageReader();
  const ahead = keepAhead(now);
  const variables = variablesOf(address);
  const spell = (state: string) => states.find(state)?.name ?? state.trim();
  const activeFilter = (names: readonly string[]) => filterOf([...new Set(names.map(spell))]);
  const countFilter = (name: string) => filterOf([spell(name)], openIssues);

  async function ask(next: 'list' | undefined): Promise<readonly TrackerState[]> {
    const active = activeFilter(named.active);
    const handoff = named.handoff === undefined ? undefined : countFilter(named.handoff);
    const asked = { ...variables, active, handoff, list: next === 'list' };
    const count = asked.list && handoff !== undefined;
    const { data, errors } = await pages.one((size) =>
      client.query(surveyProject, { ...asked, count, size }, 'survey'),
    );
    const project = checkPlace(address, data, errors);
    demandWhole(errors);
    states.learn(project);
    own.learn(data.repository);
    if (project.items !== undefined) ahead.put(['page', active ?? ''], project.items);
    if (project.handoff !== undefined) ahead.put(['count', handoff ?? ''], project.handoff);
    return states.all();
  }

  async function page(filter: string | undefined, after: string | undefined, size: number): Promise<Page> {
    const { data, errors } = await client.query(listCards, { ...variables, filter, after, size }, 'survey');
    demandWhole(errors);
    return data.repositoryOwner.projectV2.items;
  }

  async function countedPage(filter: string | undefined, after: string | undefined, size: number) {
    const { data, errors } = await client.query(countCards, { ...variables, filter, after, size }, 'survey');
    demandWhole(errors);
    return data.repositoryOwner.projectV2.items;
  }

  return {
    states: ask,
    async list(names) {
      if (states.all().length === 0) await ask('list');
      const there = names.flatMap((name) => states.find(name) ?? []);
      if (there.length === 0) return [];
      const filter = activeFilter(names);
      const first =
        ahead.take<Page>(['page', filter ?? '']) ??
        (await pages.one((size) => page(filter, undefined, size)));
      return pages.rest(first, (after, size) => page(filter, after, size));
    },
    async count(name) {
      if (states.all().length === 0) await ask(undefined);
      if (states.find(name) === undefined) return { nodes: [], more: 0 };
      const filter = countFilter(name);
      const first =
        ahead.take<CountedPage>(['count', filter ?? '']) ??
        (await pages.one((size) => countedPage(filter, undefined, size)));
      if (filter !== undefined) return { nodes: first.nodes, more: first.totalCount - first.nodes.length };
      const nodes = await pages.rest(first, (after, size) => countedPage(filter, after, size));
      return { nodes, more: 0 };
    },
  };
}

/** The project, or why it cannot be served. One that is not there and one that this token may not see are told alike. */
function checkPlace(
  { owner, number, repository }: ProjectAddress,
  data: SurveyedProject,
  errors: readonly QueryError[],
) {
  const name = `${owner}/${number}`;
  const { repositoryOwner: found, viewer } = data;
  if (found?.__typename === 'User' && viewer.login.endsWith('[bot]'))
    throw new GitHubError(
      'refused',
      `the project ${name} belongs to a user, and a GitHub App cannot see projects of users: use a token of ${owner}, or make the project one of an organisation`,
    );
  const lacks = (what: string, key: string, remedy: string) =>
    new GitHubError(
      'missing',
      `there is no ${what}, or the token may not see it: correct ${key}, or ${remedy}`,
    );
  const isElsewhere = errors.some(({ type, path }) => type !== 'NOT_FOUND' && path[0] === 'repositoryOwner');
  if (isElsewhere) demandWhole(errors);
  if (found === null || found.projectV2 === undefined || found.projectV2 === null)
    throw lacks(
      `project ${name}`,
      'tracker.project',
      `let the token read and write the projects of ${owner}`,
    );
  if (repository !== undefined && !data.repository)
    throw lacks(`repository ${repository}`, 'repository', 'give it access to that repository');
  if (found.projectV2.closed)
    throw new Error(`the project ${name} is closed: nothing can be moved there; reopen it`);
  if (!found.projectV2.viewerCanUpdate)
    throw new Error(`the token may read the project ${name} and not write it: give it write access`);
  if (data.repository?.isArchived)
    throw new Error(`the repository ${repository} is archived: nothing can be written there`);
  if (data.repository?.hasIssuesEnabled === false)
    throw new Error(`the repository ${repository} has its issues switched off`);
  return found.projectV2;
}
