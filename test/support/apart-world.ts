import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { startContainerPlatform } from './container-platform.ts';
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
  const platform = await startContainerPlatform();
  const start = ({ env, ...options }: StartOptions = {}): RunningTurn =>
    world.start({
      ...options,
      env: {
        ...platform.env,
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
      platform.stop();
      await world.end();
    },
  };
}
