import { capsMutants, capsSearches } from './caps/caps-searches.ts';
import { hintsMutants, hintsSearches } from './hints/hints-searches.ts';
import { leaseMutants, leaseSearches } from './lease/lease-searches.ts';
import { lossMutants, lossSearches } from './loss/loss-searches.ts';
import type { Findings, Limits } from './search/explore.ts';

/** What a search found, and the transitions of leases that it took: `from to operation`. */
export interface Searched extends Findings {
  readonly taken: ReadonlySet<string>;
}

/** A small world in which every promise of the protocol must hold. */
export interface Search {
  readonly model: 'caps' | 'lease' | 'hints' | 'loss';
  readonly scope: string;
  search(limits: Limits): Searched;
  /** What this variant is known to break; a name ends where the details of a violation begin. */
  readonly tolerates?: readonly string[];
  /** Small enough for every test run. */
  readonly isQuick?: boolean;
}

/** A world with one rule left out, which must break what the rule is for. `stuck` is a state without a way back. */
export interface Mutant {
  readonly model: Search['model'];
  /** The rule, in words. */
  readonly leftOut: string;
  search(limits: Limits): Searched;
  readonly breaks: string | 'stuck';
  /** How long the shortest counterexample was in the first, coarser models of the protocol. */
  readonly firstModel: string;
  /** Too large for every test run. */
  readonly isLong?: boolean | undefined;
}

export const searches: readonly Search[] = [
  ...capsSearches,
  ...leaseSearches,
  ...hintsSearches,
  ...lossSearches,
];
export const mutants: readonly Mutant[] = [...capsMutants, ...leaseMutants, ...hintsMutants, ...lossMutants];

/** Why a search is not as it must be, if so. */
export function faultOf({ tolerates = [] }: Pick<Search, 'tolerates'>, found: Findings): string | undefined {
  const isTolerated = (what: string) => tolerates.some((name) => what.startsWith(name));
  const broken = [...found.broken.keys()].filter((what) => !isTolerated(what));
  if (broken.length > 0) return broken.join('; ');
  if (found.stuck !== undefined) return `${found.stuck.count} states without a way back`;
  return found.complete ? undefined : 'the search was not complete';
}

/** How many steps a mutant needed to break what it must break, or undefined when it broke nothing. */
export function stepsToBreak({ breaks }: Pick<Mutant, 'breaks'>, found: Findings): number | undefined {
  const story = breaks === 'stuck' ? found.stuck?.story : found.broken.get(breaks);
  return story?.steps.length;
}
