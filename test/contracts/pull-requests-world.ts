import type { PullRequests } from '../../lib/controller/ports.ts';

/** A code host with one repository and its pull requests, and what turns and people do there. */
export interface PullRequestsWorld {
  readonly pullRequests: PullRequests;
  /** The repository, as a board names it to the port; its base is `main`. */
  readonly repository: string;
  /** A new commit on the branch, which is made where it is not there. */
  push(branch: string): Promise<void>;
  /** The branch at what `main` holds. */
  pushNothing(branch: string): Promise<void>;
  deleteBranch(branch: string): Promise<void>;
  /** A person merges the one that is open, and leaves its branch. */
  merge(branch: string): Promise<void>;
  /** A person closes the one that is open. */
  close(branch: string): Promise<void>;
  /** A person opens one from the branch into another base. */
  open(branch: string, base: string): Promise<void>;
  /** A person writes something else into the one that is open. */
  edit(
    branch: string,
    change: Partial<Pick<SeenPullRequest, 'title' | 'body' | 'draft' | 'base'>>,
  ): Promise<void>;
  /** Every one from the branch, oldest first, seen without asking through the port. */
  seen(branch: string): Promise<readonly SeenPullRequest[]>;
  /** What the next `put` writes is done, and its answer is lost. */
  loseAnswer(): void;
  /** From now on nobody is answered. */
  breakDown(): void;
  dispose(): Promise<void>;
}

export interface SeenPullRequest {
  readonly number: number;
  readonly state: 'open' | 'merged' | 'closed';
  readonly title: string;
  readonly body: string;
  readonly draft: boolean;
  readonly base: string;
}
