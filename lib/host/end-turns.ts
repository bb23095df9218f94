import { setTimeout as sleep } from 'node:timers/promises';
import { turnEndHandler } from '../../functions/turn-end.ts';
import type { LiveTask, Ports } from '../controller/ports.ts';
import type { TurnId } from '../core/issue.ts';

/** How long turns may take to keep their work, and the host to settle them. */
export const endGraceMs = 20_000;

const lookEveryMs = 200;

/** A turn that ends before it has begun looks like a launch that failed; so it is let begin first, this long at most. */
const beginPatienceMs = 4_000;

/**
 * Asks every live turn to end, and settles each one once it is seen stopped. Answers how many had not ended when the
 * time was up; they go on and are adopted at the next start.
 */
export async function endTurns(
  ports: Ports,
  tasks: readonly LiveTask[],
  onProblem: (message: string) => void,
): Promise<number> {
  const began = performance.now();
  const settle = turnEndHandler(ports);
  let left = tasks;
  while (left.length > 0 && performance.now() - began < endGraceMs) {
    try {
      const launching =
        performance.now() - began < beginPatienceMs ? await listLaunching(ports) : new Set<TurnId>();
      // Asking again is harmless.
      for (const task of left.filter(({ turnId }) => !launching.has(turnId)))
        await ports.runner.stop(task.arn);
      const states = await ports.runner.describe(left.map(({ arn }) => arn));
      for (const task of left.filter(({ arn }) => states.get(arn)?.kind === 'stopped')) {
        await settle(stoppedEvent(task.arn, task.turnId));
        left = left.filter(({ arn }) => arn !== task.arn);
      }
    } catch (error) {
      onProblem(error instanceof Error ? error.message : String(error));
    }
    if (left.length > 0) await sleep(lookEveryMs);
  }
  return left.length;
}

/**
 * Settles what is left open of turns that are seen stopped: a handler that another one overtook leaves the rest to the
 * next tick, and there is none any more. What cannot be settled now is so by the next start.
 */
export async function settleLeftovers(ports: Ports, onProblem: (message: string) => void): Promise<void> {
  const settle = turnEndHandler(ports);
  for (let look = 0; look < mostLooks; look += 1) {
    try {
      const open = await listStopped(ports);
      if (open.length === 0) return;
      for (const { arn, turnId } of open) await settle(stoppedEvent(arn, turnId));
    } catch (error) {
      onProblem(error instanceof Error ? error.message : String(error));
    }
  }
}

/** The second look finds what the first one had to leave to somebody who was still at it. */
const mostLooks = 2;

async function listStopped({ ledger, runner }: Ports): Promise<readonly Pick<LiveTask, 'arn' | 'turnId'>[]> {
  const tick = await ledger.tick();
  const leases = tick === undefined ? [] : await ledger.leases(tick.gen);
  const held = leases.flatMap(({ phase, turnId, liveArn, launchArn }) => {
    const arn = liveArn ?? launchArn;
    return phase === 'idle' || turnId === undefined || arn === undefined ? [] : [{ arn, turnId }];
  });
  const states = await runner.describe(held.map(({ arn }) => arn));
  return held.filter(({ arn }) => states.get(arn)?.kind === 'stopped');
}

async function listLaunching({ ledger }: Ports): Promise<ReadonlySet<TurnId>> {
  const tick = await ledger.tick();
  const leases = tick === undefined ? [] : await ledger.leases(tick.gen);
  return new Set(leases.flatMap(({ phase, turnId }) => (phase === 'launching' && turnId) || []));
}

/** A task that stopped, in the words of the event that says so on AWS. */
export function stoppedEvent(taskArn: string, startedBy: string): object {
  return { 'detail-type': 'ECS Task State Change', detail: { taskArn, startedBy, lastStatus: 'STOPPED' } };
}
