import type { BoardRecord } from './board-record.ts';
import type { Change } from './change.ts';
import type { Instant } from './issue.ts';
import { breakerMs } from './retry.ts';
import type { SettlementRecord } from './settle.ts';
import type { Verdict } from './verdict.ts';

type Breakers = NonNullable<BoardRecord['breakers']>;

/**
 * What a settled turn does to its board's launch breakers, or undefined for nothing. Trouble of the platform or of the
 * model's account opens one, for longer each time in a row; a turn that got past such trouble closes it. While one is
 * open nothing is launched: whatever ends then was launched before, and its trouble is the one that is known. So several
 * turns of one outage count once, however often and in whatever order each of them is settled.
 */
export function changeBreakers(
  record: BoardRecord | undefined,
  turn: Pick<SettlementRecord, 'turnId' | 'failureClass' | 'reason' | 'startedAt'>,
  verdict: Pick<Verdict, 'breaker'>,
  agentKind: string,
  now: Instant,
): Change<BoardRecord> | undefined {
  const before: Breakers = record?.breakers ?? {};
  const after =
    verdict.breaker === undefined
      ? close(before, turn, agentKind)
      : open(before, turn, verdict.breaker === 'agent' ? `agent:${agentKind}` : 'launch', now);
  if (after === before) return undefined;
  return {
    operation: 'breakers',
    when: [
      record === undefined ? [{ field: 'v', is: 'absent' }] : [{ field: 'v', is: 'equal', value: record.v }],
    ],
    set: { breakers: after },
    remove: [],
    add: {},
    append: {},
  };
}

function open(
  before: Breakers,
  turn: Pick<SettlementRecord, 'turnId' | 'reason'>,
  name: string,
  now: Instant,
): Breakers {
  const known = before[name];
  if (known !== undefined && (known.until > now || known.turnId === turn.turnId)) return before;
  const tries = (known?.tries ?? 0) + 1;
  return {
    ...before,
    [name]: { until: now + breakerMs(tries), tries, reason: turn.reason, turnId: turn.turnId },
  };
}

function close(
  before: Breakers,
  turn: Pick<SettlementRecord, 'failureClass' | 'startedAt'>,
  agentKind: string,
): Breakers {
  const proven =
    turn.startedAt !== undefined &&
    turn.failureClass !== 'infrastructure' &&
    turn.failureClass !== 'cancelled';
  const names = proven ? ['launch', `agent:${agentKind}`].filter((name) => name in before) : [];
  if (names.length === 0) return before;
  return Object.fromEntries(Object.entries(before).filter(([name]) => !names.includes(name)));
}
