import type { Fact, FactKind } from './trace.ts';
import {
  contractNameOf,
  type IssueView,
  invocationOf,
  issueNameOf,
  issueOf,
  type TraceView,
  type TurnView,
  textOf,
  tickNameOf,
  tickOf,
  turnOf,
} from './trace-view.ts';

/** More invocations than ever overlap; what older ones read or counted is of no use to anyone. */
const rememberedInvocations = 32;

const signsOfLife: readonly FactKind[] = ['adopted', 'turn-started', 'heartbeat'];

export function emptyView(): TraceView {
  return {
    turns: new Map(),
    issues: new Map(),
    ticks: new Map(),
    epochs: new Set(),
    invalidContracts: new Set(),
    generations: new Set(),
    fromTheBeginning: undefined,
  };
}

/** Takes one more fact in. Its generation is folded before the rules judge it. Call this after the rules have judged the fact by what came before it. */
export function foldFact(view: TraceView, fact: Fact): void {
  foldTick(view, fact);
  meet(view, fact);
  const turn = turnOf(view, fact);
  const issue = issueOf(view, fact);
  if (turn !== undefined) foldTurn(turn, fact);
  if (issue !== undefined) foldIssue(issue, fact, turn);
}

/**
 * A lost table takes its attempts, parks, retries and open writes with it. Of a container that nobody adopts or hears of
 * again it cannot be told whether it ended in between; one that works on calls, and is live again by that.
 */
export function foldGeneration(view: TraceView, fact: Fact): void {
  const gen = textOf(fact.gen);
  if (gen === undefined || view.generations.has(gen)) return;
  if (view.generations.size > 0) {
    for (const issue of view.issues.values()) {
      Object.assign(issue, { highestAttempt: 0, parked: false, retryAt: undefined });
      issue.writes.clear();
      issue.live.clear();
    }
    for (const turn of view.turns.values()) forgetEnd(turn);
    view.ticks.clear();
    view.epochs.clear();
    view.invalidContracts.clear();
  }
  view.generations.add(gen);
}

/**
 * A launch that was given up may be alive all the same, and so may a second container of a turn whose first one has ended:
 * either is then adopted like any other.
 */
function forgetEnd(turn: TurnView): void {
  const isOver = turn.stopped
    ? { started: false, stopped: false, stoppedArn: undefined, arn: undefined }
    : {};
  Object.assign(turn, { settled: false, released: false, ...isOver } satisfies Partial<TurnView>);
}

function foldTick(view: TraceView, fact: Fact): void {
  if (fact.fact === 'tick-started') {
    view.fromTheBeginning ??= (fact.epoch ?? 1) <= 1;
    if (fact.epoch !== undefined) view.epochs.add(fact.epoch);
    remember(view.ticks, tickNameOf(fact), { live: undefined, cap: undefined, claims: 0, releases: 0 });
  }
  if (fact.fact === 'contract-checked') {
    if (fact.valid === false) view.invalidContracts.add(contractNameOf(fact));
    else view.invalidContracts.delete(contractNameOf(fact));
  }
  if (freesSlot(view, fact)) for (const tick of view.ticks.values()) tick.releases += 1;
  const own = tickOf(view, fact);
  if (own === undefined) return;
  if (typeof fact.live === 'number' && typeof fact.cap === 'number') {
    Object.assign(own, { live: fact.live, cap: fact.cap, claims: 0, releases: 0 });
  }
  if (fact.fact === 'claim-confirmed') own.claims += 1;
}

/** A turn is told to be settled, released, or both; its slot is free after the first of them. */
function freesSlot(view: TraceView, fact: Fact): boolean {
  const isLast = fact.fact === 'settled' || fact.fact === 'released';
  const turn = turnOf(view, fact);
  return isLast && !turn?.settled && !turn?.released;
}

/** Makes room for an issue or a turn that the trace names for the first time. */
function meet(view: TraceView, fact: Fact): void {
  const name = issueNameOf(fact);
  if (name !== undefined && !view.issues.has(name)) {
    view.issues.set(name, {
      live: new Set(),
      highestAttempt: 0,
      writes: new Map(),
      reads: new Map(),
      lastRole: undefined,
      lastRoleAt: 0,
      parked: false,
      retryAt: undefined,
    });
  }
  if (fact.turnId === undefined || view.turns.has(fact.turnId)) return;
  view.turns.set(fact.turnId, {
    issue: name,
    knownBefore: fact.fact !== 'claimed' && view.fromTheBeginning !== true,
    attempt: undefined,
    claimed: false,
    confirmed: false,
    adopted: false,
    started: false,
    arn: undefined,
    stopAsked: false,
    stopped: false,
    stoppedArn: undefined,
    settled: false,
    released: false,
  });
}

function foldTurn(turn: TurnView, fact: Fact): void {
  const arn = textOf(fact.arn);
  turn.attempt ??= fact.attempt;
  switch (fact.fact) {
    case 'claimed':
      turn.claimed = true;
      break;
    case 'claim-confirmed':
      turn.confirmed = true;
      break;
    case 'adopted':
      turn.adopted = true;
      turn.started = true;
      turn.arn ??= arn;
      break;
    case 'turn-started':
    case 'heartbeat':
      turn.started = true;
      turn.arn ??= arn;
      break;
    case 'stop-asked':
      turn.stopAsked = true;
      break;
    case 'stopped-seen':
    case 'ended':
      // A second container of the turn may have been refused at the gate; its end says nothing about the first.
      if (arn !== undefined && turn.arn !== undefined && arn !== turn.arn) break;
      turn.stopped = true;
      turn.stoppedArn ??= arn;
      break;
    case 'settled':
      turn.settled = true;
      break;
    case 'released':
      turn.released = true;
      break;
  }
}

function foldIssue(issue: IssueView, fact: Fact, turn: TurnView | undefined): void {
  if (fact.turnId !== undefined && turn !== undefined) {
    if (turn.stopped || turn.released) issue.live.delete(fact.turnId);
    else if (signsOfLife.includes(fact.fact)) issue.live.add(fact.turnId);
    // A claim that was never confirmed used up no number that must not come again; and a container that asks long after its
    // turn ended may ask for one whose lease, and with it the count, was forgotten.
    const hasNumber = turn.confirmed || turn.started || (turn.knownBefore && fact.fact !== 'refused');
    const isOver = turn.settled || turn.released;
    if (hasNumber && (!isOver || fact.fact === 'settled' || fact.fact === 'released'))
      issue.highestAttempt = Math.max(issue.highestAttempt, turn.attempt ?? 0);
  }
  switch (fact.fact) {
    case 'retry-scheduled':
      issue.retryAt = typeof fact.until === 'number' ? fact.until : undefined;
      break;
    case 'parked':
      issue.parked = true;
      break;
    case 'reset':
      issue.parked = false;
      issue.retryAt = undefined;
      break;
    case 'forgotten':
      // Attempts are counted on the lease.
      issue.highestAttempt = 0;
      break;
    case 'issue-read':
      foldRead(issue, fact);
      break;
    default:
      foldWrite(issue, fact);
  }
}

function foldRead(issue: IssueView, fact: Fact): void {
  const reader = invocationOf(fact);
  issue.reads.delete(reader);
  if (fact.reason === 'gone' || fact.reason === 'unknown') return;
  issue.lastRole = textOf(fact.role);
  issue.lastRoleAt = fact.time;
  remember(issue.reads, reader, issue.lastRole);
}

function foldWrite(issue: IssueView, fact: Fact): void {
  const invocation = invocationOf(fact);
  const to = textOf(fact.to);
  switch (fact.fact) {
    case 'write-intended':
      issue.writes.set(invocation, { turnId: fact.turnId, to, since: fact.time });
      break;
    case 'written':
      issue.writes.delete(invocation);
      issue.reads.delete(invocation);
      break;
    case 'write-verified':
    case 'repaired':
      // Whoever verifies sees the one intent through that the lease can hold, also that of a dead invocation.
      issue.writes.clear();
      break;
    case 'refused':
      // Much can be refused; what closes a write is the refusal of exactly that write.
      if (to !== undefined && to === issue.writes.get(invocation)?.to) issue.writes.delete(invocation);
      break;
  }
}

/** Keeps the latest entries only. */
function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= rememberedInvocations) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
