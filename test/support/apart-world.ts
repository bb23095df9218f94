import { chmodSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { freeUid } from './free-uid.ts';
import {
  type EndedTurn,
  type InstructionChanges,
  makeTurnWorld,
  type RunningTurn,
  type StartOptions,
  type TurnWorld,
} from './turn-world.ts';

/** A turn in a container of its own, whose agent is to have this uid. */
export interface ApartWorld extends TurnWorld {
  readonly uid: number;
}

/** The same surroundings as a container has them: the program is told its task and the agent's uid. */
export async function makeApartWorld(changes: InstructionChanges = {}): Promise<ApartWorld> {
  const world = await makeTurnWorld(changes);
  const uid = freeUid();
  chmodSync(join(world.traces, '..'), 0o711);
  chmodSync(world.traces, 0o777);
  const platform = createServer((_, response) => response.end('{"TaskARN":"arn:task/1"}'));
  await new Promise<void>((resolve) => platform.listen(0, '127.0.0.1', resolve));
  const { port } = platform.address() as AddressInfo;
  const start = ({ env, ...options }: StartOptions = {}): RunningTurn =>
    world.start({
      ...options,
      env: {
        ECS_CONTAINER_METADATA_URI_V4: `http://127.0.0.1:${port}`,
        EVENKEEL_AGENT_UID: String(uid),
        ...env,
      },
    });
  return {
    ...world,
    uid,
    start,
    run: (options): Promise<EndedTurn> => start(options).ended,
    async end() {
      platform.close();
      await world.end();
    },
  };
}
