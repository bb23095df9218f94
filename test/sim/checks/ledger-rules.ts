import type { TickRecord } from '../../../lib/controller/ports.ts';
import type { SettlementRecord } from '../../../lib/core/settle.ts';
import { isOpen, type Truth } from './truth.ts';

export function judgeTick(
  truth: Truth,
  before: TickRecord | undefined,
  after: TickRecord,
  operation: string,
): void {
  const rises = (after.epoch ?? 0) > (before?.epoch ?? 0);
  if (operation === 'start-tick' && !rises) truth.fail('epoch', `${before?.epoch} > ${after.epoch}`);
  if (operation !== 'open-tick' || !isOpen(truth)) return;
  for (const task of truth.park().tasks.values()) {
    if (!task.working) continue;
    const lease = truth.store.lease(task.request.board, task.request.issueId);
    if (lease?.liveArn !== task.arn)
      truth.fail('J2', `the ledger opens while ${task.arn} works without a lease`);
  }
}

export function judgeHistory(truth: Truth, record: SettlementRecord): void {
  const { memory, fail, saw } = truth;
  saw(`outcome ${record.outcome} ${record.failureClass ?? 'none'}`);
  const before = memory.historyOf.get(record.turnId);
  if (before !== undefined) fail('S6', `the turn ${record.turnId} has two histories`);
  memory.historyOf.set(record.turnId, record);
  const wasStopped = memory.stoppedTurns.has(record.turnId);
  if (wasStopped && record.outcome === 'handed-off')
    fail('C3', `${record.turnId} was stopped and is handed off`);
  const task = record.arn === undefined ? undefined : truth.park().tasks.get(record.arn);
  const isCleared = record.result === undefined || task?.evidence?.cause === 'platform';
  if (record.failureClass === 'infrastructure' && record.parked?.reason === 'infrastructure' && isCleared)
    fail('P12', `${record.turnId} is parked for trouble of the platform`);
  const isBlamed = record.failureClass === 'agent' && record.result === undefined && !wasStopped;
  if (isBlamed && task?.evidence?.cause === 'platform')
    fail('P12', `the agent of ${record.turnId} is blamed for the platform`);
}
