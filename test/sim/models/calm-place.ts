import { type Fate, type Faults, makeFate } from '../fate.ts';
import { type FlavourName, flavours } from '../flavours.ts';
import { type Kernel, makeKernel, type Proc } from '../kernel.ts';
import { beginning } from '../sim-case.ts';
import type { Part, Setting } from './calls.ts';
import { trackerLimit } from './tracker-limit.ts';

/** One part of the simulator by itself, without the product: nothing goes wrong in it but what is listed. */
export interface CalmPlace {
  readonly setting: Setting;
  readonly kernel: Kernel;
  readonly proc: Proc;
  /** Another process that can be killed. */
  newProc(): Proc;
  /** From now on this part does not answer. */
  breakDown(part: Part): void;
  /** Time goes on by itself while somebody waits for an answer of this port. */
  driven<Port extends object>(port: Port): Port;
  /** Every occasion so far at which something might have gone wrong. */
  occasions(): Fate['occasions'];
}

const stepMs = 20;

export function calmPlace(name: FlavourName, listed: Faults = {}): CalmPlace {
  const flavour = flavours[name];
  const down = new Set<Part>();
  const kernel = makeKernel({
    startAt: beginning,
    diesWithSender: flavour.place === 'machine',
    onKill: () => undefined,
  });
  const calm = { seed: 1, rates: undefined, listed, keepOccasions: true, now: kernel.now };
  const fate = makeFate(calm);
  const setting: Setting = {
    kernel,
    fate,
    flavour,
    isDown: (part) => down.has(part),
    limit: trackerLimit(kernel.now),
    answers: new Map(),
    saw: () => undefined,
  };
  const newProc = () => kernel.spawn('test', Number.POSITIVE_INFINITY, () => new Promise(() => undefined));
  const drive = driver(kernel);
  return {
    setting,
    kernel,
    proc: newProc(),
    newProc,
    breakDown: (part) => void down.add(part),
    driven: (port) => drivenPort(port, drive),
    occasions: () => fate.occasions,
  };
}

type Drive = <Answer>(answer: Promise<Answer>) => Promise<Answer>;

/** Lets time go on until every answer that is waited for is there. */
function driver(kernel: Kernel): Drive {
  let waiting = 0;
  let isGoing = false;
  const go = async () => {
    if (isGoing) return;
    isGoing = true;
    while (waiting > 0) await kernel.runUntil(kernel.now() + stepMs);
    isGoing = false;
  };
  return (answer) => {
    waiting += 1;
    const done = () => {
      waiting -= 1;
    };
    answer.then(done, done);
    void go();
    return answer;
  };
}

function drivenPort<Port extends object>(port: Port, drive: Drive): Port {
  return new Proxy(port, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name);
      if (typeof found !== 'function') return found;
      return (...given: readonly unknown[]) => {
        const answer: unknown = found.apply(target, given);
        return answer instanceof Promise ? drive(answer) : answer;
      };
    },
  });
}
