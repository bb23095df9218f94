import type { Account, GitHubState, Issue } from './github-state.ts';

export interface Project {
  readonly id: string;
  readonly owner: string;
  readonly ownerKind: 'Organization' | 'User';
  readonly number: number;
  closed: boolean;
  /** Whether the token may write it. */
  isWritable: boolean;
  field: { readonly id: string; name: string; options: ProjectOption[] | undefined } | undefined;
  readonly items: ProjectItem[];
  /** Its own automations, which only are told of: this server does not run them. */
  readonly workflows: { readonly name: string; readonly enabled: boolean }[];
}

export interface ProjectOption {
  readonly id: string;
  name: string;
}

export interface ProjectItem {
  readonly id: string;
  readonly project: Project;
  readonly type: 'ISSUE' | 'PULL_REQUEST' | 'DRAFT_ISSUE';
  /** A draft has none. */
  issue: Issue | undefined;
  isArchived: boolean;
  /** The token may not see what is on it. */
  isHidden: boolean;
  status: { readonly optionId: string; readonly name: string } | undefined;
  priority: string | number | undefined;
}

/** The projects of a GitHub server, and what happens when somebody acts on them. */
export class GitHubProjects {
  readonly all: Project[] = [];
  /** Whether the timeline of an issue tells that its card was moved. */
  tellsMoves = true;
  readonly #state: GitHubState;
  #options = 0x98236657;

  constructor(state: GitHubState) {
    this.#state = state;
  }

  create(owner: string, number: number, names: readonly string[], ownerKind: Project['ownerKind']): Project {
    const project: Project = {
      id: this.#state.nextId('PVT'),
      owner,
      ownerKind,
      number,
      closed: false,
      isWritable: true,
      field: { id: this.#state.nextId('PVTSSF'), name: 'Status', options: this.options(names) },
      items: [],
      workflows: [],
    };
    this.all.push(project);
    return project;
  }

  /** Options have ids of eight hexadecimal digits. */
  options(names: readonly string[]): ProjectOption[] {
    return names.map((name) => {
      this.#options += 1;
      return { id: this.#options.toString(16), name };
    });
  }

  add(project: Project, issue: Issue | undefined, status: string | undefined): ProjectItem {
    const item: ProjectItem = {
      id: this.#state.nextId('PVTI'),
      project,
      type: issue === undefined ? 'DRAFT_ISSUE' : issue.isPullRequest ? 'PULL_REQUEST' : 'ISSUE',
      issue,
      isArchived: false,
      isHidden: false,
      status: status === undefined ? undefined : this.valueOf(project, status),
      priority: undefined,
    };
    project.items.push(item);
    return item;
  }

  move(item: ProjectItem, to: string, actor: Account | null): void {
    const from = item.status?.name ?? '';
    item.status = this.valueOf(item.project, to);
    const { issue } = item;
    if (issue === undefined || !this.tellsMoves || from === to) return;
    issue.events.push({
      kind: 'ProjectV2ItemStatusChangedEvent',
      id: this.#state.nextId('PSE'),
      label: null,
      actor,
      at: this.#state.now(),
      move: { project: item.project.id, from, to },
    });
  }

  valueOf({ field }: Project, name: string) {
    const option = field?.options?.find((one) => one.name.toLowerCase() === name.toLowerCase());
    if (option === undefined) throw new Error(`The project has no status ${name}.`);
    return { optionId: option.id, name: option.name };
  }

  /** In the browser: cards follow, and the option's id stays. */
  renameOption(project: Project, from: string, to: string): void {
    const option = project.field!.options!.find(({ name }) => name === from)!;
    option.name = to;
    for (const item of project.items)
      if (item.status?.optionId === option.id) item.status = { optionId: option.id, name: to };
  }

  /** Through the API: every option gets a new id, and the cards lose theirs. */
  overwriteOptions(project: Project, names: readonly string[]): void {
    project.field!.options = this.options(names);
    for (const item of project.items) item.status = undefined;
  }

  remove(item: ProjectItem): void {
    item.project.items.splice(item.project.items.indexOf(item), 1);
  }

  find(id: string): ProjectItem | undefined {
    return this.all.flatMap((project) => this.itemsOf(project)).find((item) => item.id === id);
  }

  /** The card of a deleted issue is deleted with it. */
  itemsOf({ items }: Project): readonly ProjectItem[] {
    return items.filter(({ issue }) => issue === undefined || issue.repository.issues.includes(issue));
  }
}
