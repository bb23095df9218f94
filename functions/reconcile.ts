/**
 * The tick. Triggered every minute by a schedule, and early by a hint; the trigger carries no meaning beyond that. A
 * duplicate, late or overlapping delivery is one more look at the board: ticks are numbered, and an older one's claims are
 * disarmed by the newer number. A tick that could not do everything fails loudly at its end, after it did the rest.
 */
import * as z from 'zod';
import type { Ports } from '../lib/controller/ports.ts';
import { reconcile, type TickReport } from '../lib/controller/reconcile.ts';

/** The detail type of the event by which an early tick is asked for. */
export const tickRequested = 'Tick Requested';

const tickEventSchema = z.looseObject({ 'detail-type': z.string() });

/** Whether the event asks for an early tick. Throws at what is no event. */
export function isTickRequest(event: unknown): boolean {
  return tickEventSchema.parse(event)['detail-type'] === tickRequested;
}

export class TickFailedError extends Error {
  readonly report: Extract<TickReport, { kind: 'done' }>;

  constructor(report: Extract<TickReport, { kind: 'done' }>) {
    super(`The tick could not do everything: ${report.summary.problems.join('; ')}`);
    this.name = 'TickFailedError';
    this.report = report;
  }
}

export const reconcileHandler =
  (ports: Ports) =>
  async (event: unknown): Promise<TickReport> => {
    const report = await reconcile(ports, isTickRequest(event) ? 'hint' : 'scheduled');
    if (report.kind === 'done' && !report.summary.complete) throw new TickFailedError(report);
    return report;
  };
