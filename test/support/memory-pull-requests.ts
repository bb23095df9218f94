import type { PullRequests } from '../../lib/controller/ports.ts';
import {
  makeBlock,
  type PullRequest,
  replaceBlock,
  type WantedPullRequest,
} from '../../lib/core/pull-request.ts';
import type { TrackerQuota } from '../../lib/core/tracker-quota.ts';

export interface MemoryPullRequest {
  readonly number: number;
  readonly branch: string;
  state: 'open' | 'merged' | 'closed';
  title: string;
  body: string;
  draft: boolean;
  base: string;
  /** Where the branch stood when it was merged, and when that was. */
  mergedAt: string | undefined;
  mergedWhen: number;
}

type Call = 'put' | 'merged';

/** A code host in memory: what turns push there, what people do there, and what goes wrong. */
export class MemoryPullRequests implements PullRequests {
  /** Its clock. */
  now: () => number = Date.now;
  /** The one repository that is there; any other is at no code host. */
  readonly repository: string;
  /** Every one, oldest first; a person edits one by changing it. */
  readonly all: MemoryPullRequest[] = [];
  /** Calls that came, oldest first. */
  readonly calls: { readonly call: Call; readonly branches: readonly string[] }[] = [];
  /** Where each branch stands; undefined at its base. */
  readonly #branches = new Map<string, string | undefined>();
  readonly #failing = { put: 0, merged: 0 };
  #isDown = false;
  #losesAnswer = false;
  #refusal: string | undefined;
  #commits = 0;

  constructor(repository = 'https://code.example/acme/web.git') {
    this.repository = repository;
  }

  of(branch: string): readonly MemoryPullRequest[] {
    return this.all.filter((one) => one.branch === branch);
  }

  /** A turn's push: the branch holds something new. */
  push(branch: string): void {
    this.#commits += 1;
    this.#branches.set(branch, `c${this.#commits}`);
  }

  /** The branch holds what its base does, and no more. */
  pushNothing(branch: string): void {
    this.#branches.set(branch, undefined);
  }

  deleteBranch(branch: string): void {
    this.#branches.delete(branch);
  }

  /** A person merges the one that is open, and leaves its branch. */
  merge(branch: string): void {
    const mergedAt = this.#branches.get(branch);
    Object.assign(this.#openOne(branch), { state: 'merged', mergedAt, mergedWhen: this.now() });
  }

  /** A person closes the one that is open. */
  close(branch: string): void {
    this.#openOne(branch).state = 'closed';
  }

  /** A person opens one. */
  open(branch: string, base: string): void {
    this.#add({ branch, base, draft: false, title: 'By a person', body: '' });
  }

  /** The next calls of this kind fail before they have an effect. */
  fail(call: Call, times = 1): void {
    this.#failing[call] += times;
  }

  /** Whether every call fails before it has an effect, for as long as that is not taken back. */
  failAll(on: boolean): void {
    this.#isDown = on;
  }

  /** The next `put` has its effect, and its answer is lost. */
  loseAnswer(): void {
    this.#losesAnswer = true;
  }

  /** The next `put` is refused with this. */
  refuse(problem: string): void {
    this.#refusal = problem;
  }

  quota(): TrackerQuota | undefined {
    return undefined;
  }

  async put(repository: string, wanted: WantedPullRequest): Promise<PullRequest | 'none'> {
    this.#begin('put', [wanted.branch]);
    if (repository !== this.repository) return 'none';
    const problem = this.#refusal;
    this.#refusal = undefined;
    if (problem !== undefined) return { kind: 'refused', problem };
    const answer = this.#write(wanted);
    const isLost = this.#losesAnswer;
    this.#losesAnswer = false;
    if (isLost) throw new Error('The answer of the code host was lost (put).');
    return answer;
  }

  async merged(
    repository: string,
    base: string,
    branches: readonly string[],
  ): Promise<ReadonlyMap<string, number>> {
    if (branches.length === 0) return new Map();
    this.#begin('merged', branches);
    if (repository !== this.repository) return new Map();
    return new Map(
      branches.flatMap((branch) => {
        const when = this.#merges(branch, base).map(({ mergedWhen }) => mergedWhen);
        return when.length === 0 ? [] : [[branch, Math.max(...when)]];
      }),
    );
  }

  #begin(call: Call, branches: readonly string[]): void {
    this.calls.push({ call, branches });
    const fails = this.#isDown || this.#failing[call] > 0;
    this.#failing[call] = Math.max(0, this.#failing[call] - 1);
    if (fails) throw new Error(`The code host did not answer (${call}).`);
  }

  #write(wanted: WantedPullRequest): PullRequest | 'none' {
    const { branch, base, draft, title } = wanted;
    const block = makeBlock(`${wanted.closes ? 'Closes' : 'Refs'} ${wanted.issue.key}\n\n${wanted.body}`);
    const before = this.of(branch).toSorted((one, other) => rank(other) - rank(one))[0];
    if (before !== undefined) {
      if (before.state === 'open') before.body = replaceBlock(before.body, block) ?? before.body;
      return told(before);
    }
    if (!this.#branches.has(branch)) return { kind: 'refused', problem: `there is no branch ${branch}` };
    if (this.#branches.get(branch) === undefined) return 'none';
    return told(this.#add({ branch, base, draft, title, body: block }));
  }

  #add(fields: Omit<MemoryPullRequest, 'number' | 'state' | 'mergedAt' | 'mergedWhen'>): MemoryPullRequest {
    const made: MemoryPullRequest = {
      ...fields,
      number: this.all.length + 1,
      state: 'open',
      mergedAt: undefined,
      mergedWhen: 0,
    };
    this.all.push(made);
    return made;
  }

  #openOne(branch: string): MemoryPullRequest {
    const found = this.of(branch).findLast(({ state }) => state === 'open');
    if (found === undefined) throw new Error(`No pull request of ${branch} is open.`);
    return found;
  }

  #merges(branch: string, base: string): readonly MemoryPullRequest[] {
    const now = this.#branches.get(branch);
    const isGone = !this.#branches.has(branch);
    return this.of(branch).filter(
      (one) => one.state === 'merged' && one.base === base && (isGone || one.mergedAt === now),
    );
  }
}

/** The one that counts of a branch: an open one, else a merged one, else a closed one; of these the newest. */
function rank({ state, number }: MemoryPullRequest): number {
  return { open: 2, merged: 1, closed: 0 }[state] * 1_000_000 + number;
}

function told({ state, number }: MemoryPullRequest): PullRequest {
  return { kind: state, number, url: `https://code.example/acme/web/pull/${number}` };
}
