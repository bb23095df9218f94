import type { Account, GitHubState, Repository } from './github-state.ts';

export interface PullRequest {
  readonly id: string;
  readonly number: number;
  readonly repository: Repository;
  /** The owner of the fork that its branch is in; undefined where it is in the repository itself. */
  readonly fork: string | undefined;
  readonly head: string;
  readonly author: Account;
  /** The fork was deleted since; it may be told as no other repository then. */
  forkIsGone?: boolean;
  base: string;
  title: string;
  body: string;
  isDraft: boolean;
  state: 'OPEN' | 'MERGED' | 'CLOSED';
  /** Where the branch stood when it was merged or closed. */
  ended: string | undefined;
  endedAt: number | undefined;
  readonly createdAt: number;
}

/** Where the branches of a repository stand. */
export interface Refs {
  oid(branch: string): string | undefined;
  /** Whether `head` holds what `base` does not. */
  isAhead(base: string, head: string): boolean;
  merge(base: string, head: string): void;
  remove(branch: string): void;
}

export interface StateRefs extends Refs {
  /** A new commit, on a branch that is made where it is not there. */
  push(branch: string): void;
  /** The branch at what `from` holds. */
  point(branch: string, from: string): void;
}

/** Branches that are nothing but state. */
export function stateRefs(): StateRefs {
  const oids = new Map([['main', commit(0)]]);
  let commits = 0;
  return {
    oid: (branch) => oids.get(branch),
    isAhead: (base, head) => oids.get(base) !== oids.get(head),
    merge: (base, head) => void oids.set(base, oids.get(head)!),
    remove: (branch) => void oids.delete(branch),
    push(branch) {
      commits += 1;
      oids.set(branch, commit(commits));
    },
    point: (branch, from) => void oids.set(branch, oids.get(from)!),
  };
}

function commit(n: number): string {
  return n.toString(16).padStart(40, '0');
}

export interface NewPullRequest {
  readonly head: string;
  readonly base?: string;
  readonly title?: string;
  readonly body?: string;
  readonly isDraft?: boolean;
  readonly fork?: string;
}

/** The pull requests of a GitHub server, and what happens when somebody acts on them. */
export class GitHubPulls {
  readonly all: PullRequest[] = [];
  /** Whether the plan of the repository's owner has drafts. */
  takesDrafts = true;
  /** What tokens may do with pull requests. */
  access: 'write' | 'read' | 'none' = 'write';
  /** Whether tokens are shown where branches stand. */
  showsBranches = true;
  /** So many of the next requests do not see yet what was made last: a list, a branch. */
  readonly lag = { lists: 0, branches: 0 };
  readonly #state: GitHubState;
  readonly #refs = new Map<Repository, Refs>();

  constructor(state: GitHubState) {
    this.#state = state;
  }

  /** The branches of a repository are these from now on. */
  useRefs(repository: Repository, refs: Refs): void {
    this.#refs.set(repository, refs);
  }

  refs(repository: Repository): Refs {
    const refs = this.#refs.get(repository) ?? stateRefs();
    this.#refs.set(repository, refs);
    return refs;
  }

  open(repository: Repository, author: Account, fields: NewPullRequest): PullRequest {
    const made: PullRequest = {
      id: this.#state.nextId('PR'),
      number: this.#state.nextNumber(repository),
      repository,
      fork: fields.fork,
      head: fields.head,
      author,
      base: fields.base ?? 'main',
      title: fields.title ?? 'A pull request',
      body: fields.body ?? '',
      isDraft: fields.isDraft ?? false,
      state: 'OPEN',
      ended: undefined,
      endedAt: undefined,
      createdAt: this.#state.now(),
    };
    this.all.push(made);
    return made;
  }

  /** Leaves the branch where it is. */
  merge(pull: PullRequest): void {
    this.#end(pull, 'MERGED');
    if (pull.fork === undefined) this.refs(pull.repository).merge(pull.base, pull.head);
  }

  close(pull: PullRequest): void {
    this.#end(pull, 'CLOSED');
  }

  headOf({ repository, head, fork, ended }: PullRequest): string {
    const now = fork === undefined ? this.refs(repository).oid(head) : undefined;
    return ended ?? now ?? commit(0xf0);
  }

  /** Those of a repository, newest first, as a list shows them. */
  listed(repository: Repository): readonly PullRequest[] {
    const hidden = this.lag.lists > 0 ? 1 : 0;
    this.lag.lists = Math.max(0, this.lag.lists - 1);
    const all = this.all.filter((pull) => pull.repository === repository).toReversed();
    return all.slice(hidden);
  }

  /** Whether a branch is seen that was just pushed. */
  sees(repository: Repository, branch: string): boolean {
    if (this.lag.branches > 0) {
      this.lag.branches -= 1;
      return false;
    }
    return this.refs(repository).oid(branch) !== undefined;
  }

  #end(pull: PullRequest, state: 'MERGED' | 'CLOSED'): void {
    Object.assign(pull, { state, ended: this.headOf(pull), endedAt: this.#state.now() });
  }
}
