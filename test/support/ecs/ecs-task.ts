import type { RunTaskCommandInput } from '@aws-sdk/client-ecs';

/** The life of a task, in its order; a task may go from any of them to the way down. */
export type TaskStatus =
  | 'PROVISIONING'
  | 'PENDING'
  | 'ACTIVATING'
  | 'RUNNING'
  | 'STOPPING'
  | 'DEPROVISIONING'
  | 'STOPPED';

/** What ends a task, as the service says it. */
export type StopCode =
  | 'EssentialContainerExited'
  | 'TaskFailedToStart'
  | 'UserInitiated'
  | 'SpotInterruption'
  | 'InfrastructureHealth'
  | 'TerminationNotice';

/** A task as the service has it, whatever its callers were told. */
export interface EcsTask {
  readonly arn: string;
  readonly input: RunTaskCommandInput;
  readonly definition: string;
  status: TaskStatus;
  desired: 'RUNNING' | 'STOPPED';
  /** Rises with every change; events carry it. */
  version: number;
  readonly createdAt: number;
  startedAt?: number;
  stoppedAt?: number;
  stopCode?: StopCode;
  stoppedReason?: string;
  exitCode?: number;
  containerReason?: string;
  /** Not known by name yet: the service is eventually consistent. */
  hidden: boolean;
}

/** A task as `DescribeTasks` and events show it; times are seconds. */
export function showTask(task: EcsTask): Record<string, unknown> {
  const { input } = task;
  const container = input.overrides?.containerOverrides?.[0]?.name;
  return {
    taskArn: task.arn,
    clusterArn: input.cluster,
    taskDefinitionArn: task.definition,
    lastStatus: task.status,
    desiredStatus: task.desired,
    startedBy: input.startedBy,
    launchType: 'FARGATE',
    version: task.version,
    overrides: input.overrides ?? {},
    createdAt: task.createdAt / 1000,
    ...(task.startedAt === undefined ? {} : { startedAt: task.startedAt / 1000 }),
    ...(task.stoppedAt === undefined ? {} : { stoppedAt: task.stoppedAt / 1000 }),
    ...(task.stopCode === undefined ? {} : { stopCode: task.stopCode }),
    ...(task.stoppedReason === undefined ? {} : { stoppedReason: task.stoppedReason }),
    // Before it is placed, a task shows no container.
    containers:
      task.status === 'PROVISIONING'
        ? []
        : [
            {
              name: container,
              lastStatus: task.status === 'STOPPED' ? 'STOPPED' : 'RUNNING',
              ...(task.exitCode === undefined ? {} : { exitCode: task.exitCode }),
              ...(task.containerReason === undefined ? {} : { reason: task.containerReason }),
            },
          ],
  };
}

/** The same as an event of the bus; the envelope says nothing of the order in which things happened. */
export function stateChangeEvent(task: EcsTask, time: number): Record<string, unknown> {
  const { startedBy, overrides, ...detail } = showTask(task);
  return {
    version: '0',
    'detail-type': 'ECS Task State Change',
    source: 'aws.ecs',
    time: new Date(time).toISOString(),
    resources: [task.arn],
    detail: { ...detail, startedBy, overrides, updatedAt: new Date(time).toISOString() },
  };
}
