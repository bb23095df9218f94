import { reconcileHandler, TickFailedError, tickRequested } from '../../functions/reconcile.ts';
import { look } from '../controller/look.ts';
import type { Ports } from '../controller/ports.ts';
import type { TickReport } from '../controller/reconcile.ts';
import { putTickClosed } from '../core/tick-writes.ts';
import type { TickTrigger } from './tick-loop.ts';

/** Put closed, looked at, run: a ledger is open after three passes unless something has to end first. */
const maxPasses = 3;

/**
 * Runs one tick through the handler that runs on AWS too. A new or lost ledger is bootstrapped by the host itself, and once
 * a look has opened it the tick follows at once. A tick that could not do everything answers its report like any other.
 */
export async function runTick(ports: Ports, trigger: TickTrigger): Promise<TickReport> {
  const handler = reconcileHandler(ports);
  const event = { 'detail-type': trigger === 'hint' ? tickRequested : 'Scheduled Event' };
  for (let pass = 1; ; pass += 1) {
    const report = await handler(event).catch(reportOfFailed);
    if (report.kind !== 'closed' || pass === maxPasses) return report;
    if (!report.opened && !(await bootstrap(ports))) return report;
  }
}

function reportOfFailed(error: unknown): TickReport {
  if (error instanceof TickFailedError) return error.report;
  throw error;
}

/**
 * Opens the ledger of a folder that was made just now, where nothing can have been lost; a command that is the first one there
 * and no tick, such as a pause, would otherwise leave it looking like a lost one.
 */
export async function openNewLedger(ports: Ports): Promise<void> {
  await bootstrap(ports);
  await look(ports);
}

/** Puts the missing record closed; false when there is one, and the report said what is being waited for. */
async function bootstrap({ ledger, ids }: Ports): Promise<boolean> {
  if ((await ledger.tick()) !== undefined) return false;
  return (await ledger.changeTick(putTickClosed(ids.random()))) !== 'refused';
}
