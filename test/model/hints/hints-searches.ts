import type { TickRecord } from '../../../lib/core/board-record.ts';
import { explore, type Limits } from '../search/explore.ts';
import type { Mutant, Search } from '../searches.ts';
import { type Broken, without } from '../writes/lease-writes.ts';
import type { TickOperation } from '../writes/tick-writes.ts';
import { type HintsRule, type HintsScope, hintsModel } from './hints-model.ts';

const small: HintsScope = { changes: 3, ticks: 2 };
const none: ReadonlySet<string> = new Set();

export const hintsSearches: readonly Search[] = [
  search('4 changes, 2 ticks', { changes: 4, ticks: 2, isServed: true }, { isQuick: true }),
  search('3 changes, 3 ticks, 2 of the schedule', { changes: 3, ticks: 3, scheduled: 2, isServed: true }),
  search(
    '2 changes, 3 ticks, 2 of the schedule, 2 kills',
    { changes: 2, ticks: 3, scheduled: 2, kills: 2 },
    { isQuick: true },
  ),
];

export const hintsMutants: readonly Mutant[] = [
  mutant('the hint is counted before the tick is asked for', '12', small, [
    'the hint is counted before the tick is asked for',
  ]),
  mutant('a hint during the tick brings one more round', '15', small, [
    'a hint during the tick brings one more round',
  ]),
  mutant('a tick has seen the hints that it took, not all of now', '15', small, [
    'a tick has seen the hints that it took',
  ]),
  mutant('a tick that is out of time asks for another', '15', { ...small, rounds: 1 }, [
    'a tick that is out of time asks for another',
  ]),
  mutant('hints are compared in the finishing write, not before it', '16', small, [
    'hints are compared in the finishing write',
  ]),
  mutant('hints are taken before the board is read', '16', small, [
    'hints are taken before the board is read',
  ]),
  mutant('the finishing write names its epoch', '23', { ...small, scheduled: 1 }, [], {
    'finish-tick': without('epoch'),
    'finish-tick-owing': without('epoch'),
  }),
];

function search(scope: string, numbers: HintsScope, more: Partial<Search> = {}): Search {
  return { model: 'hints', scope, search: searchHints(numbers, [], {}), ...more };
}

function mutant(
  leftOut: string,
  firstModel: string,
  scope: HintsScope,
  rules: readonly HintsRule[],
  broken: Broken<TickOperation, TickRecord> = {},
): Mutant {
  return {
    model: 'hints',
    leftOut,
    firstModel,
    breaks: 'HINT LOST',
    search: searchHints(scope, rules, broken),
  };
}

function searchHints(
  scope: HintsScope,
  leftOut: readonly HintsRule[],
  broken: Broken<TickOperation, TickRecord>,
) {
  return (limits: Limits) => ({ ...explore(hintsModel(scope, leftOut, broken), limits), taken: none });
}
