import type { BoardId, Instant } from '../core/issue.ts';
import type { Lease } from '../core/lease.ts';
import type { SettlementRecord } from '../core/settle.ts';
import type { StatusReport } from './operations.ts';
import type { Ports } from './ports.ts';
import { waitForAll } from './wait-for-all.ts';

/**
 * What the turns that ended today (UTC) have cost. The dollars are those that the budget of the day counts; turns of unknown
 * cost come from the history, because the counters of an issue start anew with a person's move and the day does not.
 */
export async function readSpend(
  { ledger, clock }: Pick<Ports, 'ledger' | 'clock'>,
  leases: readonly Lease[],
  served: readonly BoardId[],
): Promise<StatusReport['spent']> {
  const today = dayOf(clock.now());
  const boards = [...new Set([...served, ...leases.map(({ board }) => board)])];
  const histories = await waitForAll(boards.map((board) => ledger.history(board, undefined)));
  return {
    usdToday: leases.reduce((sum, { spendDay }) => sum + (spendDay?.day === today ? spendDay.usd : 0), 0),
    turnsWithUnknownUsage: histories
      .flat()
      .filter((record) => dayOf(record.endedAt) === today && isOfUnknownCost(record)).length,
  };
}

/** A turn that never began has cost nothing. */
function isOfUnknownCost({ startedAt, result }: SettlementRecord): boolean {
  return startedAt !== undefined && result?.usage === undefined;
}

function dayOf(at: Instant): string {
  return new Date(at).toISOString().slice(0, 10);
}
