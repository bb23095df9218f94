import { DescribeTasksCommand, type ECSClient, type Task } from '@aws-sdk/client-ecs';
import type { Clock, TaskState } from '../../controller/ports.ts';
import type { Arn } from '../../core/issue.ts';
import { endingOf } from './task-ending.ts';
import { isTaskOf } from './task-name.ts';

/** What the service takes in one call. */
const batchSize = 100;

/** The state of each of these, in their order. Throws when the service did not answer for all of them. */
export async function describeTasks(
  client: ECSClient,
  cluster: string,
  arns: readonly Arn[],
  clock: Clock,
): Promise<ReadonlyMap<Arn, TaskState>> {
  const found = await findTasks(
    client,
    cluster,
    arns.filter((arn) => isTaskOf(cluster, arn)),
  );
  return new Map(arns.map((arn) => [arn, stateOf(found.get(arn), arn, clock)]));
}

/** The tasks that the service knows, by ARN; those that it says it does not know are left out. */
export async function findTasks(
  client: ECSClient,
  cluster: string,
  arns: readonly string[],
): Promise<ReadonlyMap<string, Task>> {
  const found = new Map<string, Task>();
  for (let at = 0; at < arns.length; at += batchSize) {
    const batch = arns.slice(at, at + batchSize);
    const { tasks = [], failures = [] } = await client.send(
      new DescribeTasksCommand({ cluster, tasks: [...batch] }),
    );
    for (const task of tasks) if (task.taskArn !== undefined) found.set(task.taskArn, task);
    const missing = new Set(failures.filter(({ reason }) => reason === 'MISSING').map(({ arn }) => arn));
    const unanswered = batch.filter((arn) => !found.has(arn) && !missing.has(arn));
    if (unanswered.length > 0) {
      const why = failures.find(({ reason }) => reason !== 'MISSING');
      throw new Error(
        `the state of ${unanswered.length} of ${batch.length} tasks is not known${why ? `: ${why.reason} ${why.detail ?? ''}` : ''}`,
      );
    }
  }
  return found;
}

/** On its way down is still running: only the service's own last word is an end. */
export function hasStopped({ lastStatus }: Task): boolean {
  return lastStatus === 'STOPPED';
}

function stateOf(task: Task | undefined, arn: Arn, clock: Clock): TaskState {
  if (task === undefined) return { kind: 'missing' };
  if (!hasStopped(task)) return { kind: 'running' };
  return { kind: 'stopped', evidence: endingOf(task, arn, clock.now()) };
}
