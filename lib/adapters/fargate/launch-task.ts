import {
  ConflictException,
  type ECSClient,
  ECSServiceException,
  type Failure,
  ListTasksCommand,
  RunTaskCommand,
  type RunTaskCommandInput,
} from '@aws-sdk/client-ecs';
import type { Launch, LaunchRequest } from '../../controller/ports.ts';
import type { Arn, TurnId } from '../../core/issue.ts';
import { mostOverrideCharacters, overridesOf } from './task-facts.ts';

/** Where turns are launched to; the same for all turns of a deployment. */
export interface LaunchTarget {
  /** ARN with the revision. */
  readonly taskDefinition: string;
  /** The container that runs the turn program. */
  readonly container: string;
  readonly subnets: readonly string[];
  readonly securityGroups: readonly string[];
  readonly publicIp: 'ENABLED' | 'DISABLED';
}

interface Desk {
  readonly client: ECSClient;
  readonly launcher: ECSClient;
  readonly cluster: string;
  readonly target: LaunchTarget;
}

/**
 * Launches a turn's task, or finds the one that was launched before. The service remembers the turn's id as a token, a
 * refusal too, for as long as the task lives and an hour more. Throws when nobody can say what became of the call.
 */
export async function launchTask(desk: Desk, request: LaunchRequest): Promise<Launch> {
  const input = runTaskInput(desk, request);
  const size = JSON.stringify(input.overrides).length;
  if (size > mostOverrideCharacters)
    return refused(
      `the ids of the issue and the names of its columns take ${size} characters, and a task can be told ${mostOverrideCharacters}`,
    );
  try {
    const { tasks = [], failures = [] } = await desk.launcher.send(new RunTaskCommand(input));
    const arn = tasks[0]?.taskArn;
    if (arn !== undefined) return launched(arn);
    if (failures[0] !== undefined) return refused(describeFailure(failures[0]));
    throw new Error(`the answer to the launch of turn ${request.turnId} names neither a task nor a failure`);
  } catch (error) {
    // The same token with other parameters, such as a new revision: the first launch is the one that counts.
    if (error instanceof ConflictException) return adopt(desk, request.turnId, error);
    if (isRefusal(error)) return refused(`${error.name}: ${error.message}`);
    throw error;
  }
}

function runTaskInput({ cluster, target }: Desk, request: LaunchRequest): RunTaskCommandInput {
  return {
    cluster,
    taskDefinition: target.taskDefinition,
    count: 1,
    clientToken: request.turnId,
    startedBy: request.turnId,
    enableExecuteCommand: false,
    ...(request.task.spot
      ? { capacityProviderStrategy: [{ capacityProvider: 'FARGATE_SPOT', weight: 1 }] }
      : { launchType: 'FARGATE' as const }),
    networkConfiguration: {
      awsvpcConfiguration: {
        subnets: [...target.subnets],
        securityGroups: [...target.securityGroups],
        assignPublicIp: target.publicIp,
      },
    },
    overrides: overridesOf(request, target.container),
  };
}

async function adopt(
  { client, cluster }: Desk,
  turnId: TurnId,
  conflict: ConflictException,
): Promise<Launch> {
  const named = conflict.resourceIds?.[0];
  if (named !== undefined) return launched(named);
  // No other filter may stand beside this one; what it does not find may exist all the same.
  const { taskArns = [] } = await client.send(new ListTasksCommand({ cluster, startedBy: turnId }));
  if (taskArns[0] !== undefined) return launched(taskArns[0]);
  throw new Error(`turn ${turnId} was launched before, and its task cannot be found yet`, {
    cause: conflict,
  });
}

/**
 * The service answered that it did not carry the call out: a limit, a missing permission, a revision that is inactive. An
 * earlier call for the same turn may still land; its task will find the gate closed.
 */
function isRefusal(error: unknown): error is ECSServiceException {
  if (!(error instanceof ECSServiceException)) return false;
  const status = error.$metadata.httpStatusCode ?? 0;
  return status >= 400 && status < 500 && status !== 408;
}

function describeFailure({ reason, detail }: Failure): string {
  return [reason ?? 'no reason given', detail].filter((part) => part !== undefined).join(': ');
}

function launched(arn: string): Launch {
  return { kind: 'launched', arn: arn as Arn };
}

function refused(problem: string): Launch {
  return { kind: 'refused', problem };
}
