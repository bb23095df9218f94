import { type ECSClient, StopTaskCommand } from '@aws-sdk/client-ecs';
import type { Clock, Runner } from '../../controller/ports.ts';
import { describeTasks } from './describe-tasks.ts';
import { type LaunchTarget, launchTask } from './launch-task.ts';
import { listLiveTasks } from './list-live-tasks.ts';
import { stopReason } from './task-ending.ts';
import { isTaskOf } from './task-name.ts';

export interface FargateOptions {
  /** For looking at tasks and stopping them. */
  readonly client: ECSClient;
  /** For launching them: makes one attempt only, so that the answer is about this very call. */
  readonly launcher: ECSClient;
  /** The cluster's ARN. */
  readonly cluster: string;
  /** Undefined in a function that only looks: launching and listing throw. */
  readonly target: LaunchTarget | undefined;
  readonly clock: Clock;
}

/**
 * Turns as Fargate tasks. A turn's id is its launch's `clientToken` and its `startedBy`; the task carries opaque ids and
 * the ticket as overrides and nothing else. A task has stopped when the service says `STOPPED`; one that it does not know
 * is `missing`, which soon after a launch, and an hour after an end, is no evidence of anything.
 */
export function fargate({ client, launcher, cluster, target, clock }: FargateOptions): Runner {
  function needTarget(): LaunchTarget {
    if (target !== undefined) return target;
    throw new Error('this function looks at tasks only; it knows no task definition');
  }
  return {
    launch: async (request) => launchTask({ client, launcher, cluster, target: needTarget() }, request),
    describe: (arns) => describeTasks(client, cluster, arns, clock),
    list: async () => listLiveTasks(client, cluster, needTarget()),
    stop: async (arn) => {
      if (!isTaskOf(cluster, arn)) return;
      try {
        await client.send(new StopTaskCommand({ cluster, task: arn, reason: stopReason }));
      } catch (error) {
        if (!isUnknownTask(error)) throw error;
      }
    },
  };
}

/** It ended long ago, or never began. */
function isUnknownTask(error: unknown): boolean {
  const { name, message } = error as Error;
  return name === 'InvalidParameterException' && /not found/i.test(message);
}
