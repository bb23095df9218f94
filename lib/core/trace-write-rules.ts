import { invocationOf, issueOf, type TraceRule, textOf, turnOf } from './trace-view.ts';

const writableRoles: readonly string[] = ['active', 'handoff', 'merged'];

/** A write may be on its way for so long; where nothing compares, a close that others see meanwhile cannot hold it up. */
const onItsWayMs = 10_000;

/** How the board may be written: announced, freshly read, to a declared state, and never over a close. */
export const writeRules: readonly TraceRule[] = [
  {
    rule: 'write-announced',
    judges: ['written'],
    broken: (fact, view) => {
      const open = issueOf(view, fact)?.writes.get(invocationOf(fact));
      const isSame = open !== undefined && open.turnId === fact.turnId && open.to === textOf(fact.to);
      return isSame ? undefined : 'written without having been announced';
    },
  },
  {
    rule: 'write-after-read',
    judges: ['write-intended'],
    broken: (fact, view) => {
      const reads = issueOf(view, fact)?.reads;
      if (!reads?.has(invocationOf(fact))) return 'announced without a fresh read in the same run';
      return reads.get(invocationOf(fact)) === 'terminal'
        ? 'announced after its own read showed a close'
        : undefined;
    },
  },
  {
    rule: 'terminal-wins',
    judges: ['written'],
    broken: (fact, view) => {
      const { lastRole, lastRoleAt = 0 } = issueOf(view, fact) ?? {};
      const isClosed = lastRole === 'terminal' && fact.time - lastRoleAt > onItsWayMs;
      return isClosed ? 'written after the issue was seen closed' : undefined;
    },
  },
  {
    rule: 'declared-role',
    judges: ['write-intended'],
    broken: ({ role, to }) =>
      typeof role === 'string' && !writableRoles.includes(role)
        ? `announced a write to ${textOf(to)}, whose role is ${role}`
        : undefined,
  },
  {
    rule: 'person-decides',
    judges: ['write-intended'],
    broken: (fact, view) => {
      const read = issueOf(view, fact)?.reads.get(invocationOf(fact));
      const isTurnsOwn = read === undefined || read === 'terminal' || read === 'active';
      return !isTurnsOwn && fact.role !== 'merged'
        ? `announced over a state whose role is ${read}`
        : undefined;
    },
  },
  {
    rule: 'no-write-after-stop',
    judges: ['write-intended'],
    broken: (fact, view) =>
      turnOf(view, fact)?.stopAsked ? 'announced a write after its stop was asked for' : undefined,
  },
  {
    rule: 'write-seen-through',
    judges: ['settled', 'released'],
    broken: (fact, view) => {
      const writes = [...(issueOf(view, fact)?.writes.values() ?? [])];
      const open = writes.find(({ turnId }) => turnId === fact.turnId);
      return open === undefined
        ? undefined
        : `${fact.fact} while its write to ${open.to} is not seen through`;
    },
  },
];
