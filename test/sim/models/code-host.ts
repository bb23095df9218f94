import type { PullRequest } from '../../../lib/core/pull-request.ts';

/** The repository of a board as far as its pull requests go: what turns pushed, and what people decided. */
export interface CodeHost {
  /** A turn's work reaches its branch. */
  push(branch: string): void;
  /** As the port promises: the one of this branch, opened if there is none. */
  put(branch: string): PullRequest | 'none';
  /** A person decides about the open one, if there is one. */
  decide(branch: string, how: 'merged' | 'closed'): void;
  /** When all that the branch holds was merged. */
  mergedAt(branch: string): number | undefined;
  /** How many were ever opened for the branch. */
  opened(branch: string): number;
}

interface Branch {
  head: number;
  pull: { readonly number: number; kind: 'open' | 'merged' | 'closed'; head: number; at: number } | undefined;
  opened: number;
}

export function codeHost(now: () => number): CodeHost {
  const branches = new Map<string, Branch>();
  let numbers = 0;
  return {
    push(name) {
      const branch = branches.get(name) ?? { head: 0, pull: undefined, opened: 0 };
      branch.head += 1;
      branches.set(name, branch);
    },
    put(name) {
      const branch = branches.get(name);
      if (branch === undefined) return 'none';
      if (branch.pull === undefined) {
        numbers += 1;
        branch.opened += 1;
        branch.pull = { number: numbers, kind: 'open', head: branch.head, at: now() };
      }
      const { kind, number } = branch.pull;
      return { kind, number, url: `https://code.example/${number}` };
    },
    decide(name, how) {
      const branch = branches.get(name);
      if (branch?.pull?.kind !== 'open') return;
      branch.pull.kind = how;
      branch.pull.head = branch.head;
      branch.pull.at = now();
    },
    mergedAt(name) {
      const { pull, head } = branches.get(name) ?? {};
      return pull?.kind === 'merged' && pull.head === head ? pull.at : undefined;
    },
    opened: (name) => branches.get(name)?.opened ?? 0,
  };
}
