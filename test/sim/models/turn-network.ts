import type { Ports } from '../../../lib/controller/ports.ts';
import { serveHeartbeat, serveResult, serveStart } from '../../../lib/controller/serve-turn.ts';
import type { Arn } from '../../../lib/core/issue.ts';
import type { Risk } from '../fate.ts';
import type { EndOf, Proc } from '../kernel.ts';
import type { Setting } from './calls.ts';
import type { SimPorts } from './sim-ports.ts';
import type { Task } from './task-park.ts';
import type { Answer, TurnApi, TurnCall } from './turn-program.ts';

const risks: readonly Risk[] = [
  { kind: 'request-lost', of: 'net.request' },
  { kind: 'answer-lost', of: 'net.answer' },
  { kind: 'doubled', of: 'net.doubled', minMs: 0, maxMs: 30_000 },
  { kind: 'forged', of: 'net.forged' },
];

const callTimeoutMs = 10_000;
const oneWayMs = 30;

export interface TurnNetwork {
  readonly setting: Setting;
  readonly ports: SimPorts;
  readonly spawn: (
    kind: string,
    timeoutMs: number,
    body: (proc: Proc) => Promise<unknown>,
    onEnd: EndOf,
  ) => void;
  /** Whether somebody listens. */
  readonly isUp: () => boolean;
  /** Whether the ledger is open. */
  readonly isOpen: () => boolean;
  /** Whether the lease names the key of who works, which an adopted one does not until its container calls. */
  readonly isBound: (task: Task) => boolean;
  readonly fail: (rule: string, message: string) => void;
}

/** The way from a container to the handlers of the turn API, and back. */
export function turnNetwork(network: TurnNetwork): TurnApi {
  const { setting, ports, spawn, isUp, isOpen, fail } = network;
  const { kernel, fate, saw } = setting;
  return {
    call(task, body, done) {
      let isDone = false;
      const once = (answer: Answer) => {
        if (isDone) return;
        isDone = true;
        done(answer);
      };
      kernel.after(callTimeoutMs, () => once(undefined));
      const { issueId, attempt } = task.request;
      const fault = fate.decide(`net ${body.kind} ${issueId}/${attempt}`, risks);
      if (fault !== undefined) saw(`net ${body.kind} ${fault.kind}`);
      if (fault?.kind === 'request-lost') return;
      const answered: EndOf = ({ result }, proc) => {
        const isTurnedAway = asAnswer(result)?.answer === 'stop' && body.kind !== 'start';
        if (isTurnedAway && proc.notes.get('ledger') === 'closed' && !isOpen())
          fail('P6', `${task.arn} is told to stop while the ledger is lost`);
        if (fault?.kind !== 'answer-lost') kernel.after(oneWayMs, () => once(asAnswer(result)));
      };
      const send = (inMs: number) =>
        kernel.after(inMs, () => {
          if (!isUp()) return;
          const handle = (proc: Proc) => {
            proc.notes.set('ledger', isOpen() ? 'open' : 'closed');
            return serve(ports(proc), proc, task, body);
          };
          spawn('turn', 29_000, handle, answered);
        });
      send(oneWayMs);
      if (fault?.kind === 'doubled') send(fault.ms!);
      if (fault?.kind === 'forged') forge(network, task, body);
    },
  };
}

/**
 * Somebody who knows the turn's name and container, and neither its ticket nor its key, makes the same call. The keys were
 * lost with a ledger, so that of an adopted turn he does not know the container either.
 */
function forge({ ports, spawn, isUp, isBound, fail }: TurnNetwork, task: Task, body: TurnCall): void {
  if (!isUp()) return;
  const isKnown = body.kind === 'start' || isBound(task);
  const stranger: Caller = { turnId: 'nobody', arn: isKnown ? task.arn : ('nobody' as Arn), key: 'nobody' };
  const handle = (proc: Proc) => serve(ports(proc), proc, task, body, stranger);
  spawn('turn', 29_000, handle, ({ result }) => {
    if (asAnswer(result)?.answer === 'go') fail('F4', `a forged ${body.kind} of ${task.arn} is let in`);
  });
}

function serve(
  ports: Ports,
  proc: Proc,
  { arn: own, request }: Task,
  body: TurnCall,
  caller: Caller = { turnId: request.turnId, arn: own, key: own },
): Promise<unknown> {
  const { turnId } = request;
  const { arn } = caller;
  proc.notes.set('caller', caller);
  const key = `key-of-${caller.key}`.padEnd(32, '0');
  if (body.kind === 'start') return serveStart(ports, turnId, `ticket-${caller.turnId}`, { arn, key });
  if (body.kind === 'result') return serveResult(ports, turnId, key, { arn, result: body.result });
  return serveHeartbeat(ports, turnId, key, { arn, step: 'agent', progress: body.progress });
}

interface Caller {
  readonly turnId: string;
  readonly arn: Arn;
  readonly key: string;
}

function asAnswer(served: unknown): Answer {
  return typeof served === 'object' && served !== null ? (served as Answer) : undefined;
}
