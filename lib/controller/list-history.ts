import type { SettlementRecord } from '../core/settle.ts';
import type { HistoryEntry } from './operations.ts';
import { toTime } from './plan-report.ts';
import type { Ports } from './ports.ts';
import { waitForAll } from './wait-for-all.ts';

/** Every turn that has ended, oldest first; of one issue, or of every board. */
export async function listHistory(ports: Ports, key: string | undefined): Promise<readonly HistoryEntry[]> {
  const boards = await ports.boards();
  const histories = await waitForAll(boards.map(({ id }) => ports.ledger.history(id, undefined)));
  return histories
    .flat()
    .filter((record) => key === undefined || record.key === key)
    .sort((a, b) => a.endedAt - b.endedAt)
    .map(describeTurnEnded);
}

/** One turn's history in the form that people and scripts read. */
export function describeTurnEnded(record: SettlementRecord): HistoryEntry {
  const { result } = record;
  return {
    turnId: record.turnId,
    attempt: record.attempt,
    board: record.board,
    key: record.key,
    policyHash: record.policyHash ?? null,
    baseSha: result?.git?.baseSha ?? null,
    workspace: result?.workspace ?? null,
    inWorkspaceOnly: result?.inWorkspaceOnly ?? false,
    transitions: record.transitions.map(({ at, evidence, ...transition }) => ({
      ...transition,
      at: toTime(at),
      evidence: evidence ?? null,
    })),
    outcome: record.outcome,
    class: record.failureClass ?? null,
    reason: record.reason,
    branch: result?.git?.branch ?? null,
    headSha: result?.git?.headSha ?? null,
    pushed: result?.git?.pushed ?? false,
    pullRequest: record.pullRequest ?? null,
    wipBranch: result?.git?.wipBranch ?? null,
    bundle: result?.git?.bundle ?? null,
    notes: result?.notes ?? [],
    verify: (result?.verify ?? []).map(({ command, status, exitCode, durationMs }) => ({
      command,
      status,
      exitCode: exitCode ?? null,
      durationMs,
    })),
    usage:
      result?.usage === undefined
        ? null
        : { usd: result.usage.usd ?? null, tokens: result.usage.tokens ?? null },
    startedAt: record.startedAt === undefined ? null : toTime(record.startedAt),
    endedAt: toTime(record.endedAt),
  };
}
