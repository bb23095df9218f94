import { adoptionOrder } from '../core/adoption-order.ts';
import type { Instant, IssueKey, StateName } from '../core/issue.ts';
import { type Lease, unclaimedLease } from '../core/lease.ts';
import { openTick, stampClosed } from '../core/tick-writes.ts';
import { adopt } from '../core/turn-writes.ts';
import { carryOut } from './carry-out.ts';
import { beginInvocation, type Invocation, tell } from './invocation.ts';
import type { LiveTask, Ports } from './ports.ts';
import type { TickReport } from './reconcile.ts';

/**
 * What a scheduled tick does while the ledger is new or lost: it dispatches nothing, adopts the turns that are alive, and
 * opens the ledger once every live task is leased or gone. Looks may crash, repeat and overlap.
 */
export async function look(ports: Ports): Promise<TickReport> {
  const tick = await ports.ledger.tick();
  if (tick === undefined) return closed(false, 'there is no tick record: the ledger has to be bootstrapped');
  if (tick.epoch !== undefined) return { kind: 'not-admitted' };
  const now = ports.clock.now();
  const run = beginInvocation(ports, 'look', tick.gen, undefined);
  if (tick.since === undefined) await ports.ledger.changeTick(stampClosed(tick.gen, now));
  const since = tick.since ?? now;
  const ripe = now >= since + ports.settings.timing.reopenAfterMs;
  const leased = await leaseLiveTasks(run);
  if (leased !== 'all') return closed(false, leased);
  if (!ripe)
    return closed(false, 'running turns are adopted; what was on its way before the loss is waited for');
  const opened = await ports.ledger.changeTick(openTick(tick.gen));
  return closed(
    opened !== 'refused',
    opened === 'refused' ? 'another look opened it' : 'every live turn is known; the ledger is open',
  );
}

/** Every live task gets its lease back; one whose issue has another one is stopped, and then this look may not open. */
async function leaseLiveTasks(run: Invocation): Promise<'all' | string> {
  const { runner, ledger } = run.ports;
  const tasks = adoptionOrder(await runner.list());
  const leases = await ledger.leases(run.gen);
  let stopped = 0;
  for (const task of tasks) {
    const row = leases.find((lease) => lease.board === task.board && lease.issueId === task.issueId);
    if (row?.liveArn === task.arn) continue;
    if (row === undefined && (await adoptTask(run, task))) continue;
    await runner.stop(task.arn);
    stopped += 1;
  }
  return stopped === 0 ? 'all' : `${stopped} tasks that no lease names are being stopped`;
}

async function adoptTask(run: Invocation, task: LiveTask): Promise<boolean> {
  const lease = adoptedLease(task, run.ports.clock.now());
  if ((await carryOut(run, lease, adopt(lease))) !== 'done') return false;
  tell(run, 'adopted', lease, { arn: task.arn, reason: 'ledger-lost' });
  return true;
}

/** The lease of a live task that no lease names, from what the task itself remembers. */
export function adoptedLease(task: LiveTask, now: Instant): Omit<Lease, 'v'> {
  // The columns are all that the task itself remembers of the board: the one it started from, then the in-progress one.
  const [startedFrom, inProgress] = task.capStates as readonly string[] as readonly StateName[];
  const { v: _version, ...empty } = unclaimedLease(
    task.board,
    task.issueId,
    task.issueId as string as IssueKey,
  );
  return {
    ...empty,
    phase: 'running',
    turnId: task.turnId,
    attempt: task.attempt,
    capStates: task.capStates,
    startedFrom,
    writtenState: inProgress,
    seenState: inProgress ?? startedFrom,
    liveArn: task.arn,
    hb: 0,
    startedAt: now,
    progressAt: now,
    transitions: [
      { from: 'none', to: 'running', at: now, actor: 'look', reason: 'ledger-lost', evidence: task.arn },
    ],
  };
}

function closed(opened: boolean, detail: string): TickReport {
  return { kind: 'closed', opened, detail };
}
