import type { Fate, Risk } from '../fate.ts';
import type { Flavour } from '../flavours.ts';
import type { Kernel, Proc } from '../kernel.ts';
import type { TrackerLimit } from './tracker-limit.ts';

/** A part of the world that can be out of order as a whole. */
export type Part = 'tracker' | 'code-host' | 'ledger' | 'runner' | 'turn-api' | 'bus' | 'secrets';

/** What every model of a port works with. */
export interface Setting {
  readonly kernel: Kernel;
  readonly fate: Fate;
  readonly flavour: Flavour;
  readonly isDown: (part: Part) => boolean;
  readonly limit: TrackerLimit;
  /** The last answer of each read, for sweeps that give it once more. */
  readonly answers: Map<string, unknown>;
  /** Counts what was seen to happen at least once. */
  readonly saw: (what: string) => void;
}

export interface PartCall<Answer> {
  readonly operation: string;
  /** Which issue, or which board, it is about. */
  readonly about: string;
  readonly risks: readonly Risk[];
  /** Told the fault, where it has a meaning of its own. */
  readonly effect: (fault: Risk['kind'] | undefined, ms: number) => Answer;
  readonly again?: () => Answer;
  /** Whether the answer before may be given once more. */
  readonly isRead?: boolean;
}

interface Pace {
  readonly leastMs: number;
  readonly mostMs: number;
  readonly timeoutMs: number;
}

/** One way, and until an adapter gives up. */
const paces: Readonly<Record<Part, Pace>> = {
  ledger: { leastMs: 2, mostMs: 10, timeoutMs: 2_500 },
  tracker: { leastMs: 40, mostMs: 150, timeoutMs: 5_000 },
  'code-host': { leastMs: 40, mostMs: 150, timeoutMs: 5_000 },
  runner: { leastMs: 30, mostMs: 100, timeoutMs: 6_000 },
  'turn-api': { leastMs: 10, mostMs: 60, timeoutMs: 10_000 },
  bus: { leastMs: 5, mostMs: 40, timeoutMs: 3_000 },
  secrets: { leastMs: 10, mostMs: 60, timeoutMs: 2_000 },
};

/** A function can be killed at every one of its calls. */
export const killRisks: readonly Risk[] = [
  { kind: 'kill-before', of: 'kill.before' },
  { kind: 'kill-sent', of: 'kill.sent' },
  { kind: 'kill-after', of: 'kill.after' },
];

/** A call of a process to a part of the world, with whatever fate has for it. */
export function callPart<Answer>(
  setting: Setting,
  proc: Proc,
  part: Part,
  call: PartCall<Answer>,
): Promise<Answer> {
  const { kernel, fate, isDown, answers, saw } = setting;
  const name = `${proc.kind} ${part}.${call.operation}/${call.about}`;
  const { leastMs, mostMs, timeoutMs } = paces[part];
  const decided = fate.decide(name, call.risks);
  const fault = decided === undefined && isDown(part) ? { kind: 'fail' } : decided;
  if (decided !== undefined) saw(`fault ${part}.${call.operation} ${decided.kind}`);
  const read = () => {
    if (fault?.kind === 'previous' && answers.has(name)) return answers.get(name) as Answer;
    const answer = call.effect(fault?.kind, fault?.ms ?? 0);
    if (call.isRead) answers.set(name, answer);
    return answer;
  };
  return kernel.io(proc, {
    name,
    fault,
    latencyMs: leastMs + Math.round((mostMs - leastMs) * fate.draw(name)),
    timeoutMs,
    effect: read,
    ...(call.again === undefined ? {} : { again: call.again }),
  });
}
