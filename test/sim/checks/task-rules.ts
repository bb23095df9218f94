import type { RunnerWatch } from '../models/sim-runner.ts';
import type { TaskWatch } from '../models/task-park.ts';
import { unwantedShown } from './shown.ts';
import { boardOf, isOpen, type Truth, workingTasks } from './truth.ts';

/** Judges launches, and the moments at which containers begin to work and end. */
export function taskRules(truth: Truth): RunnerWatch & Omit<TaskWatch, 'pushed'> {
  const { memory, fail, saw, store } = truth;
  return {
    launchSent(proc, request) {
      if (!memory.markedTurns.has(request.turnId)) fail('P5', `${request.turnId} is launched without a mark`);
      const unwanted = unwantedShown(proc, boardOf(truth, request.board)!, request.issueId);
      if (unwanted !== undefined) fail('P8', `${request.turnId} is launched although ${unwanted}`);
    },
    began(task) {
      const { turnId } = task.request;
      const begun = (memory.begun.get(turnId) ?? 0) + 1;
      memory.begun.set(turnId, begun);
      if (begun > 1 && !task.isSecond) fail('S2', `${turnId} has ${begun} containers`);
      saw('task began');
    },
    letIn(task) {
      const { turnId, board, issueId } = task.request;
      saw('task let in');
      const others = workingTasks(truth, board, issueId).filter(({ arn }) => arn !== task.arn);
      if (others.length > 0) fail('S1', `${task.arn} begins while ${others[0]!.arn} works on ${issueId}`);
      const lease = store.lease(board, issueId);
      if (!isOpen(truth) || !truth.memory.usedTurns.has(turnId)) return;
      const isNamed = lease?.turnId === turnId && lease.liveArn === task.arn;
      const isHeld = lease?.phase === 'running' || lease?.phase === 'stopping';
      if (!isNamed || !isHeld)
        fail('S3', `${task.arn} works, and the lease is ${lease?.phase} for ${lease?.turnId}`);
    },
    ended: () => saw('task ended'),
  };
}
