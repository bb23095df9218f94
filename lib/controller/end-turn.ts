import type { Arn, TurnId } from '../core/issue.ts';
import { limitAhead } from '../core/tracker-quota.ts';
import { abandonEndedLaunch } from './abandon-launch.ts';
import { beginInvocation } from './invocation.ts';
import { readContract, uncheckedContract } from './observe.ts';
import type { Ports } from './ports.ts';
import { settleAfterStop, settleEnded } from './settle-turn.ts';

/** Settling this turn was possible now, a later tick goes on with it, or the event was about nothing that is still open. */
export type TurnEnd = 'settled' | 'left' | 'nothing';

/**
 * A task was reported stopped. The report is a hint: the runner is asked, the lease is read, and what follows is decided
 * by the function that ticks use too. A late, doubled or foreign report changes nothing.
 */
export async function endTurn(
  ports: Ports,
  event: { readonly turnId: TurnId; readonly arn: Arn },
): Promise<TurnEnd> {
  const tick = await ports.ledger.tick();
  if (tick?.epoch === undefined) return 'left';
  const turn = await ports.ledger.turn(event.turnId);
  const leases =
    turn === undefined
      ? await ports.ledger.leases(tick.gen)
      : [await ports.ledger.lease(tick.gen, turn.board, turn.issue.id)];
  const lease = leases.find((row) => row?.turnId === event.turnId);
  const board = lease && (await ports.boards()).find(({ id }) => id === lease.board);
  if (lease === undefined || board === undefined || lease.phase === 'idle' || lease.phase === 'claimed')
    return 'nothing';
  const task = (await ports.runner.describe([event.arn])).get(event.arn);
  if (task?.kind !== 'stopped') return 'left';

  // Read live, as a tick does: a hand-off must find a state that was renamed meanwhile.
  const record = await ports.ledger.board(board.id);
  const limitedUntil = limitAhead(record, ports.clock.now());
  const { contract } =
    limitedUntil === undefined ? await readContract(board, record) : uncheckedContract(record, limitedUntil);
  const run = { ...beginInvocation(ports, 'turn-end', tick.gen, tick.epoch), board };
  const isForeign = lease.launchArn !== undefined && lease.launchArn !== event.arn;
  if (lease.phase === 'launching' && isForeign) return 'nothing';
  if (lease.phase === 'launching') return abandonEndedLaunch(run, lease, task.evidence, contract);
  if (lease.liveArn !== event.arn) return 'nothing';
  if (lease.phase === 'stopping') return settleAfterStop(run, lease, task.evidence, contract);
  return settleEnded(run, lease, task.evidence, contract);
}
