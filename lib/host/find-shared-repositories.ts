import { realpath } from 'node:fs/promises';
import type { HostedBoard } from './host.ts';

/**
 * A sentence for each repository that several boards work on. Branches are named by the key of an issue, so that issues of
 * equal keys would work on the same branch.
 */
export async function findSharedRepositories(boards: readonly HostedBoard[]): Promise<readonly string[]> {
  const users = new Map<string, readonly string[]>();
  for (const { repository, board } of boards) {
    const address = await realpath(repository).catch(() => repository);
    users.set(address, [...(users.get(address) ?? []), board]);
  }
  return [...users]
    .filter(([, names]) => names.length > 1)
    .map(
      ([address, names]) =>
        `the boards ${names.join(' and ')} work on the same repository ${address}: issues of equal keys share a branch there; give their keys different prefixes`,
    );
}
