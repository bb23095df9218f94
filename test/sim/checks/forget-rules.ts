import { type Issue, stateKey } from '../../../lib/core/issue.ts';
import type { LedgerWatch } from '../models/sim-ledger.ts';
import type { Shown } from './shown.ts';
import { boardOf, noteOf, type SimBoard, type Truth, workingTasks } from './truth.ts';

type Forgotten = Parameters<LedgerWatch['leaseForgotten']>[0];

/** Nothing that anybody waits for is forgotten, and only what a read by id showed as finished or gone. */
export function judgeForgotten(truth: Truth, { before, operation, proc }: Forgotten): void {
  const { memory, store, saw, fail } = truth;
  const { board, issueId, key, phase, pending, parked, nextAt } = before;
  saw(`phase ${phase}>none ${operation}`);
  const broken = (rule: string, message: string) => fail(rule, `${operation} of ${key}: ${message}`);
  if (phase !== 'idle') broken('legal-phases', `${phase} > none is no legal transition`);
  if (pending !== undefined) broken('F2', `a write to ${pending.to} is open`);
  if (parked !== undefined || nextAt !== undefined) broken('forgotten', 'it waits for a person or a time');
  const [task] = workingTasks(truth, board, issueId);
  if (task !== undefined) broken('S1-idle', `${task.arn} of turn ${task.request.turnId} works`);
  const shown = noteOf<Shown>(proc, `shown ${operation} ${board} ${issueId}`)?.reading;
  const isFinished =
    shown?.kind === 'gone' || (shown?.kind === 'found' && isTerminal(boardOf(truth, board)!, shown.issue));
  if (!isFinished) broken('forgotten', 'no read by id shows it as finished');
  memory.attempts.delete(`${store.tick()?.gen} ${board}/${issueId}`);
}

function isTerminal({ workflow }: SimBoard, { closed, state }: Issue): boolean {
  const names = workflow.tracker.terminal_states.map(stateKey);
  return closed || (state !== undefined && names.includes(stateKey(state)));
}
