import * as z from 'zod';
import type { Instant } from '../../core/issue.ts';
import type { GitHubClient } from './github-client.ts';
import type { Actor } from './issue-fields.ts';

/** `write`: people who may write to the repository. `anyone`: all people. Else these logins. Bots by name only. */
export type TrustRule = 'write' | 'anyone' | readonly string[];

export interface TrustedActors {
  /** Whether this actor may start work; `unknown` where it cannot be learnt, and for an account that is deleted. */
  judge(actor: Actor | undefined): Promise<boolean | 'unknown'>;
}

/** Rights are taken away seldom, and asked for at every move. */
const keptMs = 600_000;
const permissionSchema = z.object({ permission: z.string() });

export function trustedActors(
  client: GitHubClient,
  project: string,
  rule: TrustRule,
  now: () => Instant,
): TrustedActors {
  const known = new Map<string, { readonly mayWrite: boolean; readonly at: Instant }>();

  async function mayWrite(login: string): Promise<boolean | 'unknown'> {
    const before = known.get(login);
    if (before !== undefined && before.at + keptMs > now()) return before.mayWrite;
    const path = `/repos/${project}/collaborators/${encodeURIComponent(login)}/permission`;
    try {
      const { permission } = await client.get(path, permissionSchema, 'step');
      const may = ['admin', 'maintain', 'write'].includes(permission);
      known.set(login, { mayWrite: may, at: now() });
      return may;
    } catch {
      return 'unknown';
    }
  }

  return {
    async judge(actor) {
      if (typeof rule !== 'string')
        return actor === undefined ? 'unknown' : rule.some((name) => isSameName(name, nameOf(actor)));
      if (actor !== undefined && actor.__typename === 'Bot') return false;
      if (rule === 'anyone') return true;
      return actor === undefined ? 'unknown' : mayWrite(actor.login);
    },
  };
}

/**
 * How an account is called in a workflow file. A bot has `[bot]` at its end, because a person may have the same name; some
 * answers leave that away.
 */
export function nameOf({ __typename, login }: Actor): string {
  const isBot = __typename === 'Bot';
  return isBot && !login.endsWith('[bot]') ? `${login}[bot]` : login;
}

/** Logins know no case. */
export function isSameName(one: string, other: string): boolean {
  return one.replace(/^@/, '').toLowerCase() === other.toLowerCase();
}
