import { realpath } from 'node:fs/promises';
import type { HostedBoard } from './host.ts';

/**
 * A sentence for each repository that several local boards work on. Branches are named by an issue's id, which is its key
 * there, so that issues of equal keys would work on the same branch; everywhere else no two boards have equal ids.
 */
export async function findSharedRepositories(boards: readonly HostedBoard[]): Promise<readonly string[]> {
  const users = new Map<string, readonly string[]>();
  for (const { repository, board, kind } of boards) {
    if (kind !== 'local') continue;
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
