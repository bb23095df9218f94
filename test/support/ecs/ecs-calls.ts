import type {
  DescribeTasksCommandInput,
  ListTasksCommandInput,
  RunTaskCommandInput,
  StopTaskCommandInput,
} from '@aws-sdk/client-ecs';
import { EcsFault, invalid } from './ecs-fault.ts';
import { showTask } from './ecs-task.ts';
import { type EcsWorld, tasksOf } from './ecs-world.ts';
import type { RunTaskDesk } from './run-task-desk.ts';

export interface EcsCallsOptions {
  readonly cluster: string;
  /** ARNs with revisions; a launch of any other one is refused as inactive. */
  readonly definitions: () => readonly string[];
  /** Tasks per page of a list. */
  readonly pageSize: number;
}

/** What the service answers to each call. */
export function ecsCalls(world: EcsWorld, desk: RunTaskDesk, options: EcsCallsOptions) {
  const { cluster, definitions, pageSize } = options;
  return {
    RunTask(input: RunTaskCommandInput) {
      if (input.cluster !== cluster) throw new EcsFault('ClusterNotFoundException', 'Cluster not found.');
      const result = desk.decide(input, () => {
        if (definitions().includes(input.taskDefinition ?? '')) return world.begin(input);
        throw new EcsFault('ClientException', 'TaskDefinition is inactive');
      });
      if ('failure' in result) return { tasks: [], failures: [{ arn: cluster, ...result.failure }] };
      const shown = showTask(result.task);
      const { taskArn, lastStatus, desiredStatus } = shown;
      // Of a task that has stopped, a repeated launch tells no more than this.
      const brief = { taskArn, lastStatus, desiredStatus };
      return { tasks: [lastStatus === 'STOPPED' ? brief : shown], failures: [] };
    },
    DescribeTasks({ tasks: asked = [] }: DescribeTasksCommandInput) {
      if (asked.length < 1 || asked.length > 100) throw invalid('tasks can have 1 to 100 items');
      if (asked.some((arn) => !arn.startsWith(tasksOf(cluster)))) throw invalid('Invalid identifier');
      return {
        tasks: asked.flatMap((arn) => world.known(arn) ?? []).map(showTask),
        failures: asked
          .filter((arn) => world.known(arn) === undefined)
          .map((arn) => ({ arn, reason: 'MISSING' })),
      };
    },
    ListTasks({ family, startedBy, desiredStatus, nextToken = '0' }: ListTasksCommandInput) {
      if (startedBy !== undefined && (family !== undefined || desiredStatus !== undefined))
        throw invalid('startedBy must be the only filter');
      const matching = world
        .all()
        .filter(
          (task) =>
            task.desired === (desiredStatus ?? 'RUNNING') &&
            (startedBy === undefined || task.input.startedBy === startedBy) &&
            (family === undefined || task.definition.includes(`task-definition/${family}:`)),
        );
      const from = Number(nextToken);
      const isLast = from + pageSize >= matching.length;
      return {
        taskArns: matching.slice(from, from + pageSize).map(({ arn }) => arn),
        ...(isLast ? {} : { nextToken: String(from + pageSize) }),
      };
    },
    StopTask({ task: arn = '', reason = '' }: StopTaskCommandInput) {
      const task = world.known(arn);
      if (task === undefined) throw invalid('The referenced task was not found.');
      if (reason.length > 255) throw invalid('reason is too long');
      world.askToStop(task, reason);
      return { task: showTask(task) };
    },
  };
}
