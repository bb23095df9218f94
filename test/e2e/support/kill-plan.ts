import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fact, FactKind } from '../../../lib/core/trace.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';
import type { HostEnding, HostProcess } from './host-process.ts';
import { type TraceTail, traceTail } from './trace-tail.ts';

/** When a host is killed. */
export type KillPlan =
  /** So long after it was started. */
  | { readonly kind: 'moment'; readonly afterMs: number }
  /** As soon as a file or folder appears in the data folder. */
  | { readonly kind: 'file'; readonly name: string; readonly afterMs: number }
  /** As soon as it tells a fact for the `nth` time. */
  | { readonly kind: 'fact'; readonly fact: FactKind; readonly nth: number; readonly afterMs: number }
  /** In the middle of an orderly end, which begins so long after the start. */
  | { readonly kind: 'ctrl-c'; readonly startMs: number; readonly afterMs: number };

export interface Kill {
  readonly plan: KillPlan;
  /** Whether what the plan waits for came; otherwise the host was killed after a while all the same. */
  readonly isHit: boolean;
  /** The card that the awaited fact was about. */
  readonly key: string | undefined;
  readonly ending: HostEnding;
}

/** What exists in a data folder sooner and later during its first start. */
const firstFiles = ['lock', 'state', 'socket', 'deployment.json', 'host.json', 'trace.jsonl', 'turns'];

/** Around each of them something is stored and something else is not yet. */
const tellingFacts: readonly FactKind[] = [
  'claimed',
  'claim-confirmed',
  'write-intended',
  'written',
  'write-verified',
  'launched',
  'turn-started',
  'stopped-seen',
  'ended',
  'settled',
  'stop-asked',
  'retry-scheduled',
  'reset',
  'released',
  'tick-started',
  'heartbeat',
];

/** Plans for so many rounds: first starts first, then a mixture in which every telling fact has its turn. */
export function planKills(rounds: number, random: SeededRandom): readonly KillPlan[] {
  const firsts = rounds > firstFiles.length * 4 ? firstFiles : [random.pick(firstFiles)];
  const facts = shuffle(tellingFacts, random);
  return Array.from({ length: rounds }, (_, round) => {
    const first = firsts[round];
    if (first !== undefined) return { kind: 'file', name: first, afterMs: random.between(0, 60) };
    const choice = random.next();
    if (choice < 0.15) return { kind: 'moment', afterMs: random.between(0, 6000) };
    if (choice < 0.2) return { kind: 'moment', afterMs: random.between(0, 1200) };
    if (choice < 0.3)
      return { kind: 'ctrl-c', startMs: random.between(500, 5000), afterMs: random.between(0, 4000) };
    const nth = random.between(1, 3);
    // Long enough after it that agents are at work.
    if (choice < 0.5) return { kind: 'fact', fact: 'turn-started', nth, afterMs: random.between(0, 2000) };
    const fact = facts[round % facts.length]!;
    return { kind: 'fact', fact, nth, afterMs: random.pick([0, 0, 0, 1, 2, 4, 8, 30]) };
  });
}

/** The longest that a plan's moment is waited for. */
const patienceMs = 8_000;

export async function carryOutKill(plan: KillPlan, host: HostProcess, dataDir: string): Promise<Kill> {
  const { isHit, key } = await waitFor(plan, host, dataDir);
  if (plan.afterMs > 0) await Promise.race([sleep(plan.afterMs), host.ended]);
  await host.kill();
  return { plan, isHit, key, ending: await host.ended };
}

type Awaited = Pick<Kill, 'isHit' | 'key'>;

async function waitFor(plan: KillPlan, host: HostProcess, dataDir: string): Promise<Awaited> {
  switch (plan.kind) {
    case 'moment':
      return came;
    case 'ctrl-c':
      await Promise.race([sleep(plan.startMs), host.ended]);
      host.signal('SIGINT');
      return came;
    case 'file':
      return watch(host, () => (existsSync(join(dataDir, plan.name)) ? came : undefined));
    case 'fact':
      return watch(host, lookForFact(plan, traceTail(join(dataDir, 'trace.jsonl'))));
  }
}

const came: Awaited = { isHit: true, key: undefined };

/** Looks so often that little can happen between what is waited for and the kill. */
async function watch(host: HostProcess, look: () => Awaited | undefined): Promise<Awaited> {
  let hasEnded = false;
  void host.ended.then(() => {
    hasEnded = true;
  });
  const deadline = performance.now() + patienceMs;
  while (!hasEnded && performance.now() < deadline) {
    const found = look();
    if (found !== undefined) return found;
    await sleep(1);
  }
  return { isHit: false, key: undefined };
}

function lookForFact({ fact, nth }: { readonly fact: FactKind; readonly nth: number }, tail: TraceTail) {
  let seen = 0;
  return () => {
    const lines = tail.read().filter((line) => line.includes(`"fact":"${fact}"`));
    const last = lines[nth - 1 - seen];
    seen += lines.length;
    return last === undefined ? undefined : { isHit: true, key: (JSON.parse(last) as Fact).key };
  };
}

function shuffle<Item>(items: readonly Item[], random: SeededRandom): readonly Item[] {
  const rest = [...items];
  return items.map(() => rest.splice(random.between(0, rest.length - 1), 1)[0]!);
}
