import { type PageArguments, pageOf, typedError } from './answer-page.ts';
import type { Views } from './answer-queries.ts';
import type { Project, ProjectItem } from './github-projects.ts';

interface Move {
  readonly projectId: string;
  readonly itemId: string;
  readonly fieldId: string;
  readonly value: { readonly singleSelectOptionId?: string };
}

/** The roots that lead to projects. `after` is told of each mutation when it is done. */
export function answerProjects(views: Views, after: (field: string) => void): Record<string, unknown> {
  const { projects } = views.state;
  const isApp = () => views.viewer().kind === 'Bot';
  return {
    repositoryOwner: ({ login }: { login: string }) => {
      const owned = projects.all.filter(({ owner }) => owner.toLowerCase() === login.toLowerCase());
      const kind = owned[0]?.ownerKind;
      if (kind === undefined) return null;
      return {
        __typename: kind,
        projectV2: ({ number }: { number: number }) => {
          const found = owned.find((one) => one.number === number);
          // An app is not shown the projects of users.
          if (found !== undefined && !(kind === 'User' && isApp())) return viewProject(views, found);
          throw typedError('NOT_FOUND', `Could not resolve to a ProjectV2 with the number ${number}.`);
        },
      };
    },
    updateProjectV2ItemFieldValue: ({ input }: { input: Move }) => {
      const item = projects.find(input.itemId);
      if (item === undefined || item.project.id !== input.projectId)
        throw typedError('NOT_FOUND', `Could not resolve to a node with the global id of '${input.itemId}'.`);
      if (!item.project.isWritable)
        throw typedError('FORBIDDEN', 'Resource not accessible by personal access token');
      if (item.isArchived) throw typedError('UNPROCESSABLE', 'The item is archived and cannot be updated.');
      const option = item.project.field?.options?.find(({ id }) => id === input.value.singleSelectOptionId);
      if (option === undefined || item.project.field?.id !== input.fieldId)
        throw typedError('UNPROCESSABLE', 'The single select option Id does not belong to the field');
      projects.move(item, option.name, views.viewer());
      after('updateProjectV2ItemFieldValue');
      return { projectV2Item: views.item({ ...item }) };
    },
  };
}

function viewProject(views: Views, project: Project) {
  const { field } = project;
  return {
    __typename: 'ProjectV2',
    id: project.id,
    closed: project.closed,
    viewerCanUpdate: project.isWritable,
    field: ({ name }: { name: string }) => {
      if (field === undefined || field.name !== name) return null;
      if (field.options === undefined) return { __typename: 'ProjectV2Field', id: field.id };
      return { __typename: 'ProjectV2SingleSelectField', id: field.id, options: field.options };
    },
    workflows: (asked: PageArguments) => pageOf(project.workflows, (one) => one, asked),
    items: ({ query, ...asked }: { query?: string | null; first?: number; after?: string }) => {
      const isWanted = readFilter(query ?? '');
      const shown = views.state.projects.itemsOf(project).filter(isWanted);
      return pageOf(shown, (item) => views.item(item, (issue) => views.asListed(issue)), asked);
    },
  };
}

/** The vendor's filter, as far as it is used: terms are ANDed, values with commas between are ORed. No other is taken. */
function readFilter(filter: string): (item: ProjectItem) => boolean {
  const terms = filter.match(/(?:[^\s"]|"[^"]*")+/g) ?? [];
  const tests = terms.map((term): ((item: ProjectItem) => boolean) => {
    if (term === 'is:open') return ({ issue }) => issue?.state === 'OPEN';
    if (term === 'is:issue') return ({ type }) => type === 'ISSUE';
    const values = /^status:((?:"[^"]*",?)+)$/.exec(term)?.[1]?.match(/"[^"]*"/g);
    if (!values) throw typedError('UNPROCESSABLE', `The filter ${term} is not understood.`);
    const names = values.map((value) => value.slice(1, -1).toLowerCase());
    return ({ status }) => status !== undefined && names.includes(status.name.toLowerCase());
  });
  return (item) => !item.isHidden && tests.every((test) => test(item));
}
