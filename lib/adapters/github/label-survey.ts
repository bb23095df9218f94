import type { Instant, StateName, TrackerState } from '../../core/issue.ts';
import { demandWhole, type GitHubClient } from './github-client.ts';
import { GitHubError } from './github-error.ts';
import { keepAhead } from './keep-ahead.ts';
import { countIssues, listIssues, moreLabels, survey } from './label-queries.ts';
import type { LabelStates, NamedStates } from './label-states.ts';
import { type Page, pageReader } from './list-pages.ts';

/** Reads a board of labels as a whole. */
export interface LabelSurvey {
  /** The labels of the repository. Throws when not all could be read, or nothing could be written there. */
  states(next?: 'list'): Promise<readonly TrackerState[]>;
  /** The open issues with one of these labels, as they came; all or a throw. */
  list(names: readonly string[]): Promise<readonly unknown[]>;
  count(name: string): Promise<number>;
}

export interface LabelSurveyOptions {
  readonly client: GitHubClient;
  readonly owner: string;
  readonly name: string;
  readonly named: NamedStates;
  readonly states: LabelStates;
  readonly now: () => Instant;
}

/**
 * One request asks for the contract, the first page of the active issues and the number that wait in the hand-off state,
 * because a tick asks for these one after the other. What came along is used once, and only by who asks for just that.
 */
export function labelSurvey({ client, owner, name, named, states, now }: LabelSurveyOptions): LabelSurvey {
  const pages = pageReader();
  const reads = labelReads(client, owner, name);
  const ahead = keepAhead(now);
  const spell = (state: string) => states.find(state)?.name ?? state;

  async function ask(active: readonly string[], next: 'list' | undefined): Promise<readonly TrackerState[]> {
    const labels = [...new Set(active.map(spell))];
    const handoff = named.handoff === undefined ? undefined : spell(named.handoff);
    const asked = { active: labels, handoff: handoff === undefined ? [] : [handoff], list: next === 'list' };
    const found = await pages.one((size) => reads.survey({ ...asked, size }));
    const all = [...found.labels.nodes, ...(await reads.restOfLabels(found.labels.pageInfo))];
    states.learn(all);
    if (found.issues !== undefined) ahead.put(['page', ...labels], found.issues);
    if (handoff !== undefined && found.handoff !== undefined)
      ahead.put(['count', handoff], found.handoff.totalCount);
    const project = `${owner}/${name}`;
    if (found.isArchived)
      throw new Error(`the repository ${project} is archived: nothing can be written there`);
    if (!found.hasIssuesEnabled) throw new Error(`the repository ${project} has its issues switched off`);
    return all.map((label) => ({ id: label.id, name: label.name as StateName }));
  }

  return {
    states: (next) => ask(named.active, next),
    async list(names) {
      states.take(names);
      if (!states.isLearnt()) await ask(names, 'list');
      const labels = [...new Set(names.flatMap((one) => states.find(one)?.name ?? []))];
      if (labels.length === 0) return [];
      const first =
        ahead.take<Page>(['page', ...labels]) ??
        (await pages.one((size) => reads.page(labels, undefined, size)));
      return pages.rest(first, (after, size) => reads.page(labels, after, size));
    },
    async count(state) {
      states.take([state]);
      if (!states.isLearnt()) await ask(named.active, undefined);
      const label = states.find(state)?.name;
      if (label === undefined) return 0;
      return ahead.take<number>(['count', label]) ?? reads.count(label);
    },
  };
}

/** The single requests. */
function labelReads(client: GitHubClient, owner: string, name: string) {
  return {
    async survey(variables: Readonly<Record<string, unknown>>) {
      const asked = client.query(survey, { owner, name, ...variables }, 'survey');
      const { data, errors } = await asked.catch((error) => explain(error, `${owner}/${name}`));
      demandWhole(errors);
      return data.repository;
    },
    async restOfLabels(first: Page['pageInfo']) {
      const found: { readonly id: string; readonly name: string }[] = [];
      for (let { hasNextPage, endCursor } = first; hasNextPage; ) {
        const { data, errors } = await client.query(moreLabels, { owner, name, after: endCursor }, 'survey');
        demandWhole(errors);
        found.push(...data.repository.labels.nodes);
        ({ hasNextPage, endCursor } = data.repository.labels.pageInfo);
      }
      return found;
    },
    async page(labels: readonly string[], after: string | undefined, size: number): Promise<Page> {
      const { data, errors } = await client.query(listIssues, { owner, name, labels, size, after }, 'survey');
      demandWhole(errors);
      return data.repository.issues;
    },
    async count(label: string): Promise<number> {
      const { data, errors } = await client.query(countIssues, { owner, name, labels: [label] }, 'survey');
      demandWhole(errors);
      return data.repository.issues.totalCount;
    },
  };
}

/** A repository that is not there and one that this token may not see are told alike. */
function explain(error: unknown, project: string): never {
  if (!(error instanceof GitHubError) || error.kind !== 'missing') throw error;
  throw new GitHubError(
    'missing',
    `there is no repository ${project}, or the token may not see it: correct tracker.project, or give the token access`,
  );
}
