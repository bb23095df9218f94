import { type ECSClient, ListTasksCommand } from '@aws-sdk/client-ecs';
import type { LiveTask } from '../../controller/ports.ts';
import { isTurnId } from '../../core/names.ts';
import { findTasks, hasStopped } from './describe-tasks.ts';
import type { LaunchTarget } from './launch-task.ts';
import { readFacts } from './task-facts.ts';

/**
 * Every live task of the deployment's family. The service lists what should run and what should stop apart, and a task
 * that was told to stop lives on for minutes, so both are asked for. Throws when the list cannot be complete.
 */
export async function listLiveTasks(
  client: ECSClient,
  cluster: string,
  { taskDefinition, container }: Pick<LaunchTarget, 'taskDefinition' | 'container'>,
): Promise<readonly LiveTask[]> {
  const family = familyOf(taskDefinition);
  const running = await listArns(client, { cluster, family, desiredStatus: 'RUNNING' });
  const stopping = await listArns(client, { cluster, family, desiredStatus: 'STOPPED' });
  const arns = [...new Set([...running, ...stopping])];
  const found = await findTasks(client, cluster, arns);
  const unseen = running.find((arn) => !found.has(arn));
  if (unseen !== undefined)
    throw new Error(
      `the task ${unseen} is listed as running and not known by name yet; the list is not complete`,
    );
  return [...found.values()]
    .filter((task) => !hasStopped(task) && isTurnId(task.startedBy ?? ''))
    .map((task) => {
      const facts = readFacts(task, container);
      if (facts !== undefined) return facts;
      throw new Error(
        `the task ${task.taskArn} was started for turn ${task.startedBy}, and its overrides do not say of which issue; stop it by hand if no newer version of evenkeel started it`,
      );
    });
}

/** `arn:…:task-definition/<family>:<revision>`. */
function familyOf(taskDefinition: string): string {
  return taskDefinition.replace(/^.*\//, '').replace(/:\d+$/, '');
}

async function listArns(
  client: ECSClient,
  filter: {
    readonly cluster: string;
    readonly family: string;
    readonly desiredStatus: 'RUNNING' | 'STOPPED';
  },
): Promise<readonly string[]> {
  const arns: string[] = [];
  const seen = new Set<string>();
  let nextToken: string | undefined;
  do {
    const page = await client.send(new ListTasksCommand({ ...filter, nextToken }));
    arns.push(...(page.taskArns ?? []));
    nextToken = page.nextToken;
    if (nextToken !== undefined && seen.has(nextToken))
      throw new Error('the list of tasks begins anew before its end; it is not complete');
    if (nextToken !== undefined) seen.add(nextToken);
  } while (nextToken !== undefined);
  return arns;
}
