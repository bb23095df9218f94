import type { Runner, TickTrigger, WorkStore } from '../../lib/controller/ports.ts';

/** For functions that may do none of this and hold no permission for it. */
export const noRunner: Runner = {
  launch: () => refuse('launches'),
  describe: () => refuse('looks at'),
  list: () => refuse('lists'),
  stop: () => refuse('stops'),
};

export const noTrigger: TickTrigger = {
  requestTick: () => Promise.reject(new Error('this function asks for no tick')),
};

export const noWorkStore: WorkStore = {
  offer: () => Promise.reject(new Error('this function offers no place for work')),
};

function refuse(what: string): Promise<never> {
  return Promise.reject(new Error(`this function ${what} no tasks`));
}
