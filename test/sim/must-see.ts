import { actions, reasons } from '../../lib/core/decision.ts';
import { legalTransitions } from '../../lib/core/lease.ts';
import { factKinds } from '../../lib/core/trace.ts';
import { faultClasses } from './draw-rates.ts';
import { boardDeeds, cardDeeds, worldDeeds } from './sim-case.ts';

/** A search of at least so many worlds in which something of this never happened was blind. */
const enoughWorlds = 5_000;

const phases = legalTransitions.flatMap(([from, to, operation]) =>
  from === to ? [`write ${operation}`] : [`phase ${from}>${to} ${operation}`],
);

const outcomes = [
  'handed-off none',
  'handed-off no-progress',
  'recheck none',
  'recheck no-progress',
  'recheck infrastructure',
  'recheck authentication',
  'recheck billing',
  'retry agent',
  'retry verification',
  'retry delivery',
  'retry policy',
  'parked none',
  'parked agent',
  'parked verification',
  'parked delivery',
  'parked policy',
  'released cancelled',
];

export const mustSee: readonly string[] = [
  ...actions.map((name) => `action ${name}`),
  ...reasons.map((name) => `reason ${name}`),
  ...phases,
  ...factKinds.map((name) => `fact ${name}`),
  ...outcomes.map((name) => `outcome ${name}`),
  ...faultClasses.map((name) => `class ${name}`),
  ...cardDeeds.map((name) => `hand ${name}`),
  ...[...boardDeeds, ...worldDeeds].map((name) => `happens ${name}`),
  'overwrite of a close',
  'table lost',
  'table restored',
  'host restarted',
  'landed transition messy',
  'landed transition changed',
  'landed restore written',
];

/** What should have happened in so many worlds, and never did: also each place at which the controllers take an error. */
export function neverSeen(
  sightings: ReadonlyMap<string, number>,
  worlds: number,
  errorPlaces: readonly string[],
): readonly string[] {
  if (worlds < enoughWorlds) return [];
  return [...mustSee, ...errorPlaces.map((place) => `error ${place}`)].filter((what) => !sightings.has(what));
}
