import type { Lease } from '../../../lib/core/lease.ts';
import { explore, type Limits } from '../search/explore.ts';
import type { Mutant, Search } from '../searches.ts';
import { type Broken, without } from '../writes/lease-writes.ts';
import type { Operation } from '../writes/write-makers.ts';
import { type LeaseRule, leaseModel } from './lease-model.ts';
import type { LeaseScope } from './lease-state.ts';

const small: LeaseScope = {
  turns: 2,
  ticks: 1,
  enders: 1,
  moves: 1,
  crashes: 1,
  faults: 0,
  board: 'separate fields',
};
const quiet: LeaseScope = { ...small, moves: 0, crashes: 0 };
const twoTicks: LeaseScope = { ...quiet, ticks: 2, enders: 0 };
const doing: LeaseScope = { ...small, column: 'doing' };
const oneField: LeaseScope = { ...small, turns: 1, board: 'one field' };
const overwrites: LeaseScope = { ...small, board: 'one field' };
const compared: LeaseScope = { ...quiet, turns: 1, moves: 1, faults: 1, board: 'compare and set' };
const merging: LeaseScope = { ...twoTicks, turns: 1, column: 'review', merges: true };
const overwritten = ['TERMINAL OVERWRITTEN'];

export const leaseSearches: readonly Search[] = [
  search('separate fields: tick, handler, 1 move, 1 crash', small),
  search('separate fields: tick, handler, 1 fault', { ...quiet, faults: 1 }),
  search('separate fields: tick, handler, 2 moves', { ...quiet, moves: 2 }),
  search('separate fields: 3 turns, tick, handler', { ...quiet, turns: 3 }),
  search('separate fields: 2 ticks', { ...twoTicks }, { isQuick: true }),
  search('separate fields: 2 ticks, 1 move', { ...twoTicks, moves: 1 }),
  search('separate fields: 2 ticks, 1 crash', { ...twoTicks, crashes: 1 }),
  search('separate fields: 2 ticks, 1 fault', { ...twoTicks, faults: 1 }),
  search('separate fields: 2 ticks, handler', { ...quiet, ticks: 2 }),
  search('separate fields: 2 ticks, resets of the ledger', { ...twoTicks, resets: true }),
  search('separate fields: 1 turn, 2 ticks, 1 move, 1 fault', {
    ...twoTicks,
    turns: 1,
    moves: 1,
    faults: 1,
  }),
  search('separate fields: 1 turn, 2 ticks, handler, 1 move, 1 crash', { ...small, turns: 1, ticks: 2 }),
  search('separate fields: 1 turn, 3 ticks', { ...twoTicks, turns: 1, ticks: 3 }),
  search('separate fields: 1 turn, tick, handler, 1 move, 1 crash, 1 fault', {
    ...small,
    turns: 1,
    faults: 1,
  }),
  search('separate fields: 1 turn, tick, handler, 2 faults', { ...quiet, turns: 1, faults: 2 }),
  search('separate fields: 1 turn, tick of two rounds, handler, 1 fault', {
    ...quiet,
    turns: 1,
    faults: 1,
    rounds: true,
  }),
  search('separate fields: launches forgotten, tick, handler, 1 crash', {
    ...quiet,
    crashes: 1,
    forgets: true,
  }),
  search('merged work: 1 turn, 2 ticks, 1 move', { ...merging, moves: 1 }, { isQuick: true }),
  search('merged work: 1 turn, 2 ticks, 1 move, 1 crash', { ...merging, moves: 1, crashes: 1 }),
  search('merged work: 1 turn, 2 ticks, 1 move, 1 fault', { ...merging, moves: 1, faults: 1 }),
  search('merged work: 2 turns, 2 ticks, 2 moves', { ...merging, turns: 2, moves: 2 }),
  search('merged work, from the beginning: tick, handler, 1 move', {
    ...small,
    crashes: 0,
    merges: true,
  }),
  search('compare and set: 1 turn, tick, handler, 1 move, 1 fault', compared),
  search('compare and set: 1 turn, tick, handler, 2 moves, 1 crash', {
    ...compared,
    moves: 2,
    crashes: 1,
    faults: 0,
  }),
  search('one field: tick, handler, 1 move, 1 crash', overwrites, { tolerates: overwritten }),
  search(
    'one field: 2 ticks, 1 move',
    { ...twoTicks, moves: 1, board: 'one field' },
    { tolerates: overwritten },
  ),
  search(
    'one field: 1 turn, tick, handler, 1 move, 1 fault',
    { ...quiet, turns: 1, moves: 1, faults: 1, board: 'one field' },
    { tolerates: overwritten },
  ),
  search('variant: launches have no token', { ...quiet, turns: 1 }, { tolerates: ['SECOND CONTAINER'] }, [
    'the launch is repeated under its token',
  ]),
];

/** Started from the in-progress column, a turn owes no move, and its story is shorter. */
const two = 'TWO LIVE TURNS';
const stale = 'STALE WRITE';
const visible = 'WROTE OVER A VISIBLE TERMINAL';

export const leaseMutants: readonly Mutant[] = [
  mutant('a running turn is not taken over by time', '17', two, doing, ['a running turn is not taken over'], {
    claim: without('phase', 'v'),
  }),
  mutant('only the gate lets a container begin', '20', two, doing, ['only the gate lets a container begin']),
  mutant('the gate writes, and does not only read', '22', two, doing, ['the gate writes']),
  mutant('an old claim is released by turn and phase', '20', two, { ...doing, ticks: 2, enders: 0 }, [], {
    unclaim: without('phase'),
  }),
  mutant('a launch is released by turn and phase', '23', two, { ...doing, moves: 2 }, [], {
    'give-up-launch': without('phase'),
  }),
  mutant('to ask for a stop is not to see it', '23', two, doing, ['to ask for a stop is not to see it']),
  mutant('a missing task is not a stopped one', '29', two, doing, ['a missing task is not a stopped one']),
  mutant('evidence names the container (launches forgotten)', '29', two, { ...doing, forgets: true }, [], {
    end: without('liveArn'),
    stopped: without('liveArn'),
  }),
  mutant('a move is announced', '13', stale, small, ['a move is announced']),
  mutant('the move to in progress is announced', '13', stale, small, [
    'the move to in progress is announced',
  ]),
  mutant(
    'nothing is released while a move is open',
    '13',
    stale,
    small,
    ['nothing is released while a move is open'],
    {
      claim: without('pending'),
      'give-up-launch': without('pending'),
      stopped: without('pending'),
      settle: without('pending'),
    },
  ),
  mutant('an open move is taken over after the hold-down', '19', stale, small, [
    'an open move is taken over after the hold-down',
  ]),
  mutant('an announcement has a name of its own', 'not in it', stale, compared, [
    'an announcement has a name of its own',
  ]),
  mutant('the issue is read before the move to in progress', '8', visible, small, [
    'the issue is read before the move to in progress',
  ]),
  mutant('the issue is read before the hand-off', '12', visible, small, [
    'the issue is read before the hand-off',
  ]),
  mutant(
    'the issue is read before it is finished as merged',
    'not in it',
    visible,
    { ...merging, moves: 1 },
    ['the issue is read before it is finished as merged'],
  ),
  mutant('a claim waits for an open move', 'not in it', stale, { ...merging, moves: 1 }, [], {
    claim: without('pending', 'v'),
  }),
  mutant(
    'what was merged is finished as it was seen',
    'not in it',
    'UNSEEN CHANGE OVERWRITTEN: intent-of-merge',
    { ...merging, moves: 1 },
    [],
    { 'intent-of-merge': without('v') },
  ),
  mutant('an overwritten close is repaired', '16,885 states', 'stuck', oneField, [
    'an overwritten close is repaired',
  ]),
  mutant('a move is announced', '4,669 states', 'stuck', oneField, ['a move is announced']),
];

function search(
  scope: string,
  numbers: LeaseScope,
  more: Partial<Search> = {},
  leftOut: readonly LeaseRule[] = [],
  broken: Broken<Operation, Lease> = {},
): Search {
  return { model: 'lease', scope, search: searchLease(numbers, leftOut, broken), ...more };
}

function mutant(
  leftOut: string,
  firstModel: string,
  breaks: string,
  scope: LeaseScope,
  rules: readonly LeaseRule[],
  broken: Broken<Operation, Lease> = {},
): Mutant {
  const isLong = scope.faults > 0 || scope.forgets;
  return { model: 'lease', leftOut, firstModel, breaks, isLong, search: searchLease(scope, rules, broken) };
}

function searchLease(scope: LeaseScope, leftOut: readonly LeaseRule[], broken: Broken<Operation, Lease>) {
  return (limits: Limits) => {
    const model = leaseModel(scope, leftOut, broken);
    return { ...explore(model, limits), taken: model.leases.taken };
  };
}
