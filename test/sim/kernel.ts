import { type Call, carryCall, type Line } from './calls-in-flight.ts';
import { eventQueue } from './event-queue.ts';

/**
 * Virtual time, processes that can die at any moment, and calls whose effect and answer are two events of their own. No
 * real clock, no real chance: one seed decides everything.
 */
export interface Kernel {
  now(): number;
  at(time: number, run: () => void): void;
  after(ms: number, run: () => void): void;
  /** Begins an invocation. It is killed when it takes longer than it may. */
  spawn(kind: string, timeoutMs: number, body: (proc: Proc) => Promise<unknown>, onEnd?: EndOf): Proc;
  kill(proc: Proc, why: string): void;
  /** Never settles once the process is dead. */
  io<Answer>(proc: Proc, call: Call<Answer>): Promise<Answer>;
  sleep(proc: Proc, ms: number): Promise<void>;
  /** Runs until nothing is due up to `time`, or until told to stop. */
  runUntil(time: number): Promise<void>;
  /** Ends the run after the event at work. */
  stop(): void;
  stopped(): boolean;
  readonly counts: { events: number; spawned: number; killed: number; calls: number };
}

export interface Proc {
  readonly id: number;
  readonly kind: string;
  alive: boolean;
  /** Calls that have no answer yet. */
  open: number;
  /** What the checks remember of it. */
  readonly notes: Map<string, unknown>;
}

export type EndOf = (end: { readonly result?: unknown; readonly error?: unknown }, proc: Proc) => void;

export interface KernelOptions {
  readonly startAt: number;
  readonly diesWithSender: boolean;
  readonly onKill: (proc: Proc, why: string) => void;
}

export function makeKernel({ startAt, diesWithSender, onKill }: KernelOptions): Kernel {
  const queue = eventQueue();
  const counts = { events: 0, spawned: 0, killed: 0, calls: 0 };
  const time = { now: startAt, touched: false, stopped: false };
  const at = (when: number, run: () => void) => queue.push(Math.max(time.now, Math.ceil(when)), run);
  const after = (ms: number, run: () => void) => at(time.now + ms, run);
  const touch = () => {
    time.touched = true;
  };
  function kill(proc: Proc, why: string): void {
    if (!proc.alive) return;
    proc.alive = false;
    counts.killed += 1;
    onKill(proc, why);
  }
  const line: Line = { after, kill, diesWithSender };

  return {
    now: () => time.now,
    at,
    after,
    kill,
    counts,
    spawn(kind, timeoutMs, body, onEnd) {
      counts.spawned += 1;
      const proc: Proc = { id: counts.spawned, kind, alive: true, open: 0, notes: new Map() };
      after(timeoutMs, () => kill(proc, 'timeout'));
      touch();
      follow(proc, body(proc), onEnd);
      return proc;
    },
    io(proc, call) {
      if (!proc.alive) return never;
      counts.calls += 1;
      return sendCall(line, proc, call, touch);
    },
    sleep: (proc, ms) =>
      new Promise((resolve) =>
        after(ms, () => {
          if (!proc.alive) return;
          touch();
          resolve();
        }),
      ),
    async runUntil(end) {
      await settle();
      for (let next = queue.peek(); next !== undefined && next <= end && !time.stopped; next = queue.peek()) {
        const event = queue.pop()!;
        time.now = event.at;
        counts.events += 1;
        time.touched = false;
        event.run();
        if (time.touched) await settle();
      }
      if (!time.stopped) time.now = Math.max(time.now, end);
    },
    stop: () => {
      time.stopped = true;
    },
    stopped: () => time.stopped,
  };
}

const never = new Promise<never>(() => undefined);

/** A process that was killed ends for nobody: whatever its promises still do is not looked at. */
function follow(proc: Proc, running: Promise<unknown>, onEnd: EndOf | undefined): void {
  const end = (outcome: Parameters<EndOf>[0]) => {
    if (!proc.alive) return;
    proc.alive = false;
    onEnd?.(outcome, proc);
  };
  running.then(
    (result) => end({ result }),
    (error: unknown) => end({ error }),
  );
}

function sendCall<Answer>(line: Line, proc: Proc, call: Call<Answer>, touch: () => void): Promise<Answer> {
  proc.open += 1;
  return new Promise<Answer>((resolve, reject) => {
    const answer = (give: () => void) => {
      if (!proc.alive) return;
      proc.open -= 1;
      touch();
      give();
    };
    carryCall(line, proc, call, {
      give: (value) => answer(() => resolve(value)),
      refuse: (error) => answer(() => reject(error)),
    });
  });
}

/** One macrotask: whatever promises can do by themselves is done, however deep they are nested. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
