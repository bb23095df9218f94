import { settledProblems } from './checks/final-rules.ts';
import type { Violation } from './checks/truth.ts';
import type { Fault, Occasion } from './fate.ts';
import { heal, mendAll, planHappenings } from './happen.ts';
import { beginning, type SimCase } from './sim-case.ts';
import { buildWorld, type World, type WorldOptions } from './world.ts';

/** What became of a world. */
export interface Outcome {
  readonly story: SimCase;
  readonly violation: Violation | undefined;
  /** Everything that went wrong, by occasion: with it the run can be repeated without chance. */
  readonly faults: Readonly<Record<string, Fault>>;
  readonly occasions: readonly Occasion[];
  readonly sightings: ReadonlyMap<string, number>;
  readonly virtualMs: number;
  readonly events: number;
  readonly turns: number;
  readonly kills: number;
}

const minuteMs = 60_000;
/**
 * From the end of trouble to rest at the latest: retries, breakers, windows and hold-downs all end within it, and five cards
 * that nobody hands off may use up twenty turns each, one after the other.
 */
const longestRecoveryMs = 480 * minuteMs;
/** As many ticks in a row that write nothing are rest. */
const quietTicks = 3;

/** Runs a world through its trouble, then until it is at rest. */
export async function runCase(story: SimCase, options: WorldOptions = {}): Promise<Outcome> {
  const world = buildWorld(story, options);
  world.store.items.set('TICK', { gen: 'gen-0', epoch: 0, done: 0, dirty: 0, seen: 0, v: 1 });
  planHappenings(world);
  world.run.schedule.start();
  await world.kernel.runUntil(beginning + story.calmAtMs);
  if (!world.kernel.stopped()) {
    heal(world);
    await comeToRest(world);
  }
  const { counts } = world.kernel;
  return {
    story,
    violation: world.record.violation(),
    faults: Object.fromEntries(world.fate.fired),
    occasions: world.fate.occasions,
    sightings: world.record.sightings,
    virtualMs: world.kernel.now() - beginning,
    events: counts.events,
    turns: world.park.tasks.size,
    kills: counts.killed,
  };
}

async function comeToRest(world: World): Promise<void> {
  const until = world.kernel.now() + longestRecoveryMs;
  let quiet = 0;
  while (world.kernel.now() < until && !world.kernel.stopped()) {
    const before = { writes: world.record.writes(), done: world.run.completeTicks() };
    await world.kernel.runUntil(world.kernel.now() + minuteMs);
    mendAll(world);
    const isQuiet = world.record.writes() === before.writes && world.run.completeTicks() > before.done;
    quiet = isQuiet ? quiet + 1 : 0;
    if (quiet >= quietTicks && settledProblems(world).length === 0) return;
  }
  if (world.kernel.stopped()) return;
  const [first] = settledProblems(world);
  if (first !== undefined) world.truth.fail(first.rule, first.message);
  else if (quiet < quietTicks) world.truth.fail('L6', 'ticks go on writing although nothing happens');
}
