import type { Fact, FactKind } from '../../lib/core/trace.ts';

/** A fact as a test tells it: about issue `i1` of board `b`, in the run `run`, unless it says otherwise. */
export type Told = Partial<Fact> & { readonly fact: FactKind };

/** Makes facts of a story, one second after the other unless they name their time. */
export function traceOf(story: readonly Told[]): Fact[] {
  return story.map((told, n) => {
    const about = /^tick-|^board-read/.test(told.fact) ? {} : { board: 'b', issue: 'i1' };
    return { time: (n + 1) * 1_000, invocation: 'run', ...about, ...told };
  });
}

export function told(fact: FactKind, more: Partial<Fact> = {}): Told {
  return { ...more, fact };
}

/** The same facts about another issue. */
export function of(issue: string, story: readonly Told[]): Told[] {
  return story.map((one) => ({ ...one, issue }));
}

export const tick = (epoch: number, more: Partial<Fact> = {}) =>
  told('tick-started', { epoch, gen: 'g1', ...more });
/** The slots as a tick counts them, with the number that is in use. */
export const counted = (epoch: number, live: number, cap: number) => told('board-read', { epoch, live, cap });
export const contract = (epoch: number, valid: boolean, more: Partial<Fact> = {}) =>
  told('contract-checked', { epoch, valid, ...more });

export const claimed = (turnId: string, more: Partial<Fact> = {}) =>
  told('claimed', { turnId, attempt: 1, epoch: 1, ...more });
export const confirmed = (turnId: string, epoch = 1) => told('claim-confirmed', { turnId, epoch });
export const claim = (turnId: string, attempt = 1, epoch = 1) => [
  claimed(turnId, { attempt, epoch }),
  confirmed(turnId, epoch),
];
export const launched = (turnId: string) => told('launched', { turnId });
export const started = (turnId: string, more: Partial<Fact> = {}) =>
  told('turn-started', { turnId, arn: `arn-of-${turnId}`, ...more });
export const adopted = (turnId: string) => told('adopted', { turnId, arn: `arn-of-${turnId}` });
export const beat = (turnId: string) => told('heartbeat', { turnId });
export const stopAsked = (turnId: string) => told('stop-asked', { turnId });
export const stoppedSeen = (turnId: string, more: Partial<Fact> = {}) =>
  told('stopped-seen', { turnId, arn: `arn-of-${turnId}`, ...more });
export const settled = (turnId: string) => told('settled', { turnId });
export const released = (turnId: string) => told('released', { turnId });

export const read = (role: string, more: Partial<Fact> = {}) =>
  told('issue-read', { role, reason: 'found', ...more });
export const intended = (turnId: string, more: Partial<Fact> = {}) =>
  told('write-intended', { turnId, to: 'In Review', role: 'handoff', ...more });
export const written = (turnId: string, more: Partial<Fact> = {}) =>
  told('written', { turnId, to: 'In Review', role: 'handoff', ...more });
export const verified = (turnId: string, more: Partial<Fact> = {}) =>
  told('write-verified', { turnId, ...more });
export const refused = (turnId: string) => told('refused', { turnId, to: 'In Review', reason: 'changed' });

/** A launch, a start and work to its end. */
export const work = (turnId: string) => [
  launched(turnId),
  started(turnId),
  beat(turnId),
  stoppedSeen(turnId),
];
/** Read, announced, written, verified. */
export const write = (turnId: string) => [
  read('active'),
  intended(turnId),
  written(turnId),
  read('handoff'),
  verified(turnId),
];
export const end = (turnId: string) => [stoppedSeen(turnId), settled(turnId), released(turnId)];
/** A whole turn without a hand-off. */
export const turn = (turnId: string, attempt: number, epoch: number) => [
  tick(epoch),
  ...claim(turnId, attempt, epoch),
  ...work(turnId),
  ...end(turnId),
];

/** A write as far as it goes before the tracker is called. */
export const announced = [read('active'), intended('t1')];
export const begun = [tick(1), ...claim('t1')];
export const running = [...begun, started('t1')];
