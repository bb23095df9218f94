/** Where a project is, and the repository whose issues on it are worked on. */
export interface ProjectAddress {
  /** Login of the organisation or user that owns the project. */
  readonly owner: string;
  readonly number: number;
  /** `owner/repo` of this host; without it, issues of every repository count. */
  readonly repository: string | undefined;
}

/** `owner/number`, as a workflow file names a project. */
export function projectAddress(project: string, repository: string | undefined): ProjectAddress {
  const [owner = '', number = ''] = project.split('/');
  return { owner, number: Number(number), repository };
}

/** What every query of a project's board is asked with. */
export function variablesOf({ owner, number, repository }: ProjectAddress) {
  const [repositoryOwner = '', repositoryName = ''] = (repository ?? '').split('/');
  return { owner, number, repositoryOwner, repositoryName, hasRepository: repository !== undefined };
}

/** The repository whose issues count, known by its id, which outlives its name; none stands for every repository. */
export interface OwnRepository {
  learn(found: { readonly id: string } | null | undefined): void;
  has(id: string): boolean;
}

export function ownRepository(): OwnRepository {
  let own: string | undefined;
  return {
    learn: (found) => {
      own = found?.id;
    },
    has: (id) => own === undefined || id === own,
  };
}
