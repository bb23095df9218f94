import type { Risk } from '../fate.ts';
import type { Setting } from './calls.ts';

const minuteMs = 60_000;

const risks: readonly Risk[] = [
  { kind: 'skipped', of: 'schedule.skipped' },
  { kind: 'doubled', of: 'schedule.doubled', minMs: 0, maxMs: 4_000 },
  { kind: 'late', of: 'schedule.late', minMs: 1_000, maxMs: 85_000 },
];

export interface Schedule {
  /** Fires every minute from now on, at once first. */
  start(): void;
  /** Nothing fires until then. */
  pause(until: number): void;
}

/** The rule that fires every minute, twice now and then, or not at all. */
export function schedule({ kernel, fate, saw }: Setting, fire: () => void): Schedule {
  let from = 0;
  const goOff = () => {
    kernel.at((Math.floor(kernel.now() / minuteMs) + 1) * minuteMs, goOff);
    if (kernel.now() < from) return;
    const fault = fate.decide('schedule', risks);
    if (fault !== undefined) saw(`schedule ${fault.kind}`);
    if (fault?.kind === 'skipped') return;
    kernel.after(fault?.kind === 'late' ? fault.ms! : 0, fire);
    if (fault?.kind === 'doubled') kernel.after(fault.ms!, fire);
  };
  return {
    start: goOff,
    pause: (until) => {
      from = Math.max(from, until);
    },
  };
}
