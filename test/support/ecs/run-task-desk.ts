import type { RunTaskCommandInput } from '@aws-sdk/client-ecs';
import { EcsFault, invalid } from './ecs-fault.ts';
import type { EcsTask } from './ecs-task.ts';

/** What the service remembers of a token: what was asked, and what came of it. */
interface Remembered {
  readonly asked: string;
  readonly at: number;
  readonly task: EcsTask | undefined;
  readonly failure: Failure | undefined;
}

export interface Failure {
  readonly reason: string;
  readonly detail: string;
}

const hourMs = 3_600_000;

export type RunTaskDesk = ReturnType<typeof runTaskDesk>;

/**
 * Decides what becomes of a RunTask. A token is good for the lower of a day and the task's life and an hour more: the same
 * request gets the first result again, a refusal too; another request under the same token is a conflict that names the task.
 */
export function runTaskDesk(now: () => number) {
  const tokens = new Map<string, Remembered>();
  const failures: Failure[] = [];

  function isRemembered({ at, task }: Remembered): boolean {
    const taskEnd = task?.stoppedAt === undefined ? Number.POSITIVE_INFINITY : task.stoppedAt + hourMs;
    return now() < Math.min(at + 24 * hourMs, taskEnd);
  }

  return {
    /** The next launch gets this in `failures`, with status 200 and no task. */
    failNext: (failure: Failure) => void failures.push(failure),
    forgetToken: (token: string) => void tokens.delete(token),
    decide(
      input: RunTaskCommandInput,
      begin: () => EcsTask,
    ): { readonly task: EcsTask; readonly isNew: boolean } | { readonly failure: Failure } {
      check(input);
      const token = input.clientToken ?? '';
      const { clientToken: _, ...rest } = input;
      const asked = JSON.stringify(rest);
      const known = tokens.get(token);
      if (known !== undefined && isRemembered(known)) {
        if (known.asked !== asked)
          throw new EcsFault('ConflictException', 'The token was used with other parameters.', {
            resourceIds: known.task === undefined ? [] : [known.task.arn],
          });
        return known.task === undefined ? { failure: known.failure! } : { task: known.task, isNew: false };
      }
      const failure = failures.shift();
      const task = failure === undefined ? begin() : undefined;
      if (token !== '') tokens.set(token, { asked, at: now(), task, failure });
      return task === undefined ? { failure: failure! } : { task, isNew: true };
    },
  };
}

/** Memory in MiB that goes with each number of CPU units, in its smallest, largest and step. */
const sizes: Readonly<Record<string, readonly [number, number, number]>> = {
  256: [512, 2_048, 512],
  512: [1_024, 4_096, 1_024],
  1024: [2_048, 8_192, 1_024],
  2048: [4_096, 16_384, 1_024],
  4096: [8_192, 30_720, 1_024],
  8192: [16_384, 61_440, 4_096],
  16384: [32_768, 122_880, 8_192],
};

function check(input: RunTaskCommandInput): void {
  const { clientToken = '', startedBy = '', overrides = {}, networkConfiguration, count = 1 } = input;
  if (count < 1 || count > 10) throw invalid('count should be in range 1-10');
  if (!/^[!-~]{0,64}$/.test(clientToken)) throw invalid('clientToken must be at most 64 ASCII characters');
  if (!/^[A-Za-z0-9_/-]{0,128}$/.test(startedBy)) throw invalid('Invalid characters in startedBy');
  if (JSON.stringify(overrides).length > 8_192)
    throw invalid('Container Overrides length must be at most 8192');
  const { subnets = [], securityGroups = [] } = networkConfiguration?.awsvpcConfiguration ?? {};
  if (subnets.length < 1 || subnets.length > 16) throw invalid('subnets can have 1 to 16 items');
  if (securityGroups.length > 5) throw invalid('securityGroups can have at most 5 items');
  const [least, most, step] = sizes[overrides.cpu ?? '1024'] ?? [1, 0, 1];
  const memory = Number(overrides.memory ?? 2_048);
  if (memory < least || memory > most || memory % step !== 0)
    throw invalid('No Fargate configuration exists for given values');
  const disk = overrides.ephemeralStorage?.sizeInGiB ?? 21;
  if (disk < 21 || disk > 200) throw invalid('ephemeralStorage must be between 21 and 200 GiB');
}
