import type { Ports } from '../../../lib/controller/ports.ts';
import type { Kernel, Proc } from '../kernel.ts';
import type { SimPorts } from './sim-ports.ts';

/** A call of the product to the world outside, as it was made. */
export interface PortCall {
  readonly at: number;
  /** The process, by its kind and number. */
  readonly by: string;
  readonly port: 'tracker' | 'ledger' | 'runner';
  readonly method: string;
  readonly given: readonly unknown[];
}

/** The same ports; every call to a tracker, the ledger and the runner is told before it is made. */
export function watchPorts(
  ports: SimPorts,
  { now }: Pick<Kernel, 'now'>,
  tell: ((call: PortCall) => void) | undefined,
): SimPorts {
  if (tell === undefined) return ports;
  return (proc) => watched(ports(proc), (call) => tell({ ...call, at: now(), by: nameOf(proc) }));
}

const nameOf = ({ kind, id }: Proc): string => `${kind} ${id}`;

type Tell = (call: Pick<PortCall, 'port' | 'method' | 'given'>) => void;

function watched(ports: Ports, tell: Tell): Ports {
  return {
    ...ports,
    ledger: watchedPort('ledger', ports.ledger, tell),
    runner: watchedPort('runner', ports.runner, tell),
    boards: async () => {
      const boards = await ports.boards();
      return boards.map((board) => ({ ...board, tracker: watchedPort('tracker', board.tracker, tell) }));
    },
  };
}

function watchedPort<Port extends object>(port: PortCall['port'], real: Port, tell: Tell): Port {
  return new Proxy(real, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name);
      if (typeof found !== 'function') return found;
      return (...given: readonly unknown[]) => {
        tell({ port, method: String(name), given });
        return found.apply(target, given);
      };
    },
  });
}
