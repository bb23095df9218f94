import type { Ledger } from '../../controller/ports.ts';
import type { Arn, BoardId, TurnId } from '../../core/issue.ts';
import type { Lease } from '../../core/lease.ts';
import type { SettlementRecord } from '../../core/settle.ts';

export interface FoundTurn {
  readonly turnId: TurnId;
  /** Undefined where no task was ever seen for it. */
  readonly task: Arn | undefined;
}

/** An issue's turn at work, else the one that ended last, by the ledger alone. */
export async function findTurn(
  ledger: Ledger,
  boards: readonly BoardId[],
  key: string,
): Promise<FoundTurn | undefined> {
  const tick = await ledger.tick();
  const leases = tick === undefined ? [] : await ledger.leases(tick.gen);
  const own = leases.filter((lease) => lease.key === key || (lease.issueId as string) === key);
  const live = own.find(isAtWork);
  if (live?.turnId !== undefined) return { turnId: live.turnId, task: live.liveArn ?? live.launchArn };
  const last = latest(await readHistory(ledger, own, boards, key));
  return last && { turnId: last.turnId, task: last.arn };
}

function isAtWork({ phase, turnId }: Lease): boolean {
  return phase !== 'idle' && turnId !== undefined;
}

/** Of the issue, where a lease says which that is; a ledger that was lost has leases of fewer issues than it has history. */
async function readHistory(
  ledger: Ledger,
  own: readonly Lease[],
  boards: readonly BoardId[],
  key: string,
): Promise<readonly SettlementRecord[]> {
  const ofIssues = await Promise.all(own.map(({ board, issueId }) => ledger.history(board, issueId)));
  if (ofIssues.flat().length > 0) return ofIssues.flat();
  const ofBoards = await Promise.all(boards.map((board) => ledger.history(board, undefined)));
  return ofBoards.flat().filter((record) => record.key === key);
}

function latest(records: readonly SettlementRecord[]): SettlementRecord | undefined {
  return records.reduce<SettlementRecord | undefined>(
    (last, record) => (last === undefined || record.endedAt > last.endedAt ? record : last),
    undefined,
  );
}
