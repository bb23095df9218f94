import type { Change } from '../../../lib/core/change.ts';
import type { Lease } from '../../../lib/core/lease.ts';
import { explore, type Limits } from '../search/explore.ts';
import type { Mutant, Search } from '../searches.ts';
import { type Broken, without } from '../writes/lease-writes.ts';
import type { Operation } from '../writes/write-makers.ts';
import { type CapsRule, capsModel } from './caps-model.ts';
import type { CapsScope } from './caps-state.ts';

const small: CapsScope = { issues: 2, ticks: 2, cap: 1, late: 1 };
const twoColumns: CapsScope = { ...small, cap: 2, columns: { count: 2, cap: 1 } };

export const capsSearches: readonly Search[] = [
  search('2 issues, 2 ticks, cap 1, 1 late write', small, { isQuick: true }),
  search('2 issues, 2 ticks, cap 1, 2 late writes', { ...small, late: 2 }),
  search('3 issues, 2 ticks, cap 1, 1 late write', { ...small, issues: 3 }),
  search('3 issues, 2 ticks, cap 2', { ...small, issues: 3, cap: 2, late: 0 }),
  search('2 issues, 3 ticks, cap 1', { ...small, ticks: 3, late: 0 }),
  search('3 issues, 2 ticks, cap 2, 1 in each of 2 columns', { ...twoColumns, issues: 3, late: 0 }),
  search('2 issues, 2 ticks, cap 1, rounds without end, 1 late write', { ...small, rounds: true }),
  search('3 issues, 2 ticks, cap 2, rounds without end', {
    ...small,
    issues: 3,
    cap: 2,
    late: 0,
    rounds: true,
  }),
  search('variant: every lease counted again after the claim', small, {}, ['epochs, not a second count']),
  search('variant: an unknown claim frees its slot', small, {}, ['an unknown claim keeps its slot']),
  search(
    'variant: no mark, old claims are released',
    small,
    { tolerates: ['ILLEGAL MOVE: gate'] },
    ['a claim is marked'],
    { gate: alsoFromClaimed },
  ),
];

export const capsMutants: readonly Mutant[] = [
  mutant('the epoch is confirmed after the claim: not at all', '11', small, ['the epoch is confirmed']),
  mutant('the epoch is confirmed after the claim: only before it', '14', small, [
    'the epoch is confirmed after the claim',
  ]),
  mutant('the epoch is taken before the leases are read', '13', small, [
    'the epoch is taken before the leases are read',
  ]),
  mutant('old claims are released or counted', '12', small, ['old claims are released or counted']),
  mutant(
    'a claim is marked before the launch: old claims are resumed',
    '13',
    small,
    ['old claims are released, not resumed', 'a claim is marked'],
    { gate: alsoFromClaimed },
  ),
  mutant('the mark has conditions', '13', small, [], { mark: without('turnId', 'phase') }),
  mutant('an unknown mark keeps its slot', '11', small, ['an unknown mark keeps its slot']),
  mutant('a claim has a turn of its own', '19', { ...small, rounds: true }, [
    'a claim has a turn of its own',
  ]),
  mutant(
    'the column is frozen on the lease',
    '12',
    twoColumns,
    ['the column is frozen'],
    {},
    'COLUMN CAP EXCEEDED',
  ),
];

function search(
  scope: string,
  numbers: CapsScope,
  more: Partial<Search> = {},
  leftOut: readonly CapsRule[] = [],
  broken: Broken<Operation, Lease> = {},
): Search {
  return { model: 'caps', scope, search: searchCaps(numbers, leftOut, broken), ...more };
}

function mutant(
  leftOut: string,
  firstModel: string,
  scope: CapsScope,
  rules: readonly CapsRule[],
  broken: Broken<Operation, Lease> = {},
  breaks = 'CAP EXCEEDED',
): Mutant {
  const isLong = scope.rounds;
  return { model: 'caps', leftOut, firstModel, breaks, isLong, search: searchCaps(scope, rules, broken) };
}

function searchCaps(scope: CapsScope, leftOut: readonly CapsRule[], broken: Broken<Operation, Lease>) {
  return (limits: Limits) => {
    const model = capsModel(scope, leftOut, broken);
    return { ...explore(model, limits), taken: model.leases.taken };
  };
}

/** Without a mark the gate has to let a claimed turn begin. */
function alsoFromClaimed(change: Change<Lease>): Change<Lease> {
  const when = change.when.map((tests) =>
    tests.map((test) =>
      test.field === 'phase'
        ? ({ field: 'phase', is: 'one-of', values: ['claimed', 'launching'] } as const)
        : test,
    ),
  );
  return { ...change, when };
}
