import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { readOwnArn } from './process-identity.ts';

/** Whether this program has a container of its own, which ends with it and takes everything along. */
export function isInContainer(env: NodeJS.ProcessEnv): boolean {
  return env[metadataVariable] !== undefined;
}

/** Where a container learns what it is: https://docs.aws.amazon.com/AmazonECS/latest/developerguide/task-metadata-endpoint-v4-fargate.html */
const metadataVariable = 'ECS_CONTAINER_METADATA_URI_V4';

/**
 * By what name the runner knows this turn: the task's, where the program runs in a container of its own, and the process's
 * anywhere else. A container holds one turn and nothing else, so that the program makes its folder and its cookie itself.
 */
export async function settleIn(env: NodeJS.ProcessEnv): Promise<string> {
  const metadata = env[metadataVariable];
  if (metadata === undefined) return readOwnArn();
  env.EVENKEEL_TURN_DIR ??= await mkdtemp(join(tmpdir(), 'evenkeel-turn-'));
  env.EVENKEEL_COOKIE ??= randomBytes(32).toString('hex');
  return readTaskArn(`${metadata}/task`);
}

const tries = 5;
const taskSchema = z.object({ TaskARN: z.string().min(1) });

/** The endpoint may answer a little later than the container begins. */
async function readTaskArn(address: string): Promise<string> {
  for (let left = tries - 1; ; left -= 1) {
    try {
      const answer = await fetch(address, { signal: AbortSignal.timeout(2_000) });
      return taskSchema.parse(await answer.json()).TaskARN;
    } catch (error) {
      if (left === 0)
        throw new Error('The container does not say which task it is; the turn cannot be named.', {
          cause: error,
        });
      await sleep(500);
    }
  }
}
