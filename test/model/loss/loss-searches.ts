import type { Change, Test } from '../../../lib/core/change.ts';
import type { Lease } from '../../../lib/core/lease.ts';
import { explore, type Limits } from '../search/explore.ts';
import type { Mutant, Search } from '../searches.ts';
import { without } from '../writes/lease-writes.ts';
import { type LossFaults, type LossRule, lossModel } from './loss-model.ts';
import type { LossScope } from './loss-state.ts';

const oneIssue: LossScope = { issues: [[1, 1]] };
const forgetful: LossScope = { issues: [[2, 1]] };
const twoIssues: LossScope = { issues: [[1], [1]], cap: 1 };
const flat: LossScope = { ...oneIssue, keys: 'flat' };
/** Versions start anew with the table, so that a row of the next generation may show the one that was seen. */
const anyVersion: LossFaults = { leases: { claim: withoutVersion } };

export const lossSearches: readonly Search[] = [
  search('1 issue, 2 turns', oneIssue, { isQuick: true }),
  search('1 issue, 2 turns, 1 move', { ...oneIssue, moves: 1 }),
  search('1 issue, 2 turns, 1 crash, 1 fault', { ...oneIssue, crashes: 1, faults: 1 }),
  search('1 issue, 2 turns, containers never stop unasked, 1 move', { ...oneIssue, hangs: true, moves: 1 }),
  search('1 issue, 2 turns, lost twice', { ...oneIssue, losses: 2 }),
  search('1 issue, 2 turns, restored from a backup', { ...oneIssue, isRestored: true }),
  search('1 issue, 3 containers, 2 of one turn', forgetful),
  search('2 issues, cap 1, 1 move', { ...twoIssues, moves: 1 }),
  search('one machine, local board: 3 containers, 1 move', {
    ...forgetful,
    machine: 'with a local board',
    moves: 1,
  }),
  search('one machine, remote board: 3 containers, 1 crash', {
    ...forgetful,
    machine: 'with a remote board',
    crashes: 1,
  }),
  search('variant: the confirmation compares no generation, 1 fault', { ...oneIssue, faults: 1 }, {}, [
    'the confirmation compares the generation',
  ]),
  search('variant: writes of leases outlive the wait, 1 fault', { ...oneIssue, faults: 1 }, {}, [
    'the wait outlasts writes of leases',
  ]),
  search('variant: heartbeats bind by the turn alone', forgetful, {}, [], {
    leases: { heartbeat: without('liveArn') },
  }),
];

const two = 'TWO WORKING';
const unleased = 'WORKING WITHOUT LEASE';
const cap = 'CAP EXCEEDED';
const stale = 'STALE WRITE';

export const lossMutants: readonly Mutant[] = [
  mutant('the record opens after the wait', '25', two, oneIssue, ['the record opens after a wait']),
  mutant('the record opens after the wait', '22', stale, oneIssue, ['the record opens after a wait']),
  mutant('the wait outlasts moves on their way', '25', stale, oneIssue, [
    'the wait outlasts moves on their way',
  ]),
  mutant('the age is judged when a look begins', '26', two, oneIssue, [
    'the age is judged when a look begins',
  ]),
  mutant('an adopted lease names its container', '29', two, forgetful, [
    'an adopted lease names its container',
  ]),
  mutant('the record opens after the adoption', '23', two, oneIssue, ['the record opens after the adoption']),
  mutant('the record opens after the adoption', '14', unleased, oneIssue, [
    'the record opens after the adoption',
  ]),
  mutant('a second task keeps the record closed', '27', unleased, oneIssue, [
    'a second task keeps the record closed',
  ]),
  mutant('a task that is asked to stop keeps the record closed', '26', two, oneIssue, [
    'a task that is asked to stop keeps the record closed',
  ]),
  mutant('the list shows tasks that are asked to stop', '28', two, oneIssue, [
    'the list shows tasks that are asked to stop',
  ]),
  mutant('the gate reads the record again', '22', two, oneIssue, ['the gate reads the record again']),
  mutant('a restored table has a new generation', '19', two, oneIssue, [
    'a restored table has a new generation',
  ]),
  mutant('the record is opened once', '31', two, oneIssue, [], { ticks: { 'open-tick': without('epoch') } }),
  mutant('nothing is adopted over a row', '26', unleased, oneIssue, [], { leases: { adopt: without('v') } }),
  mutant('a start binds no adopted lease', '24', cap, twoIssues, [], {
    leases: { gate: bindsAdopted('liveArn') },
  }),
  mutant('a start binds no adopted lease, by its turn', '24', two, forgetful, [], {
    leases: { gate: bindsAdopted() },
  }),
  mutant('a turn without a row is told to stop', '960 states', 'stuck', { ...oneIssue, hangs: true }, [
    'a turn without a row is told to stop',
  ]),
  mutant('keys hold the generation', '1,141 states', 'stuck', { ...flat, crashes: 1 }, [], anyVersion),
  mutant('keys hold the generation', '7', 'LAUNCH BEFORE OPEN', { ...flat, faults: 1 }, [], anyVersion),
  mutant(
    'keys hold the generation, and writes of leases outlive the wait',
    '19',
    cap,
    { ...twoIssues, keys: 'flat', faults: 1 },
    ['the wait outlasts writes of leases'],
    anyVersion,
  ),
  mutant(
    'one machine with a remote board waits',
    '24',
    stale,
    { ...oneIssue, machine: 'with a remote board' },
    ['the record opens after a wait'],
  ),
  mutant('a lock proves the former host dead', '22', stale, { ...oneIssue, machine: 'with a local board' }, [
    'a lock proves the former host dead',
  ]),
];

function search(
  scope: string,
  numbers: LossScope,
  more: Partial<Search> = {},
  leftOut: readonly LossRule[] = [],
  broken: LossFaults = {},
): Search {
  return { model: 'loss', scope, search: searchLoss(numbers, leftOut, broken), ...more };
}

function mutant(
  leftOut: string,
  firstModel: string,
  breaks: string,
  scope: LossScope,
  rules: readonly LossRule[],
  broken: LossFaults = {},
): Mutant {
  const isLong = scope.keys === 'flat' || scope.hangs;
  return { model: 'loss', leftOut, firstModel, breaks, isLong, search: searchLoss(scope, rules, broken) };
}

function searchLoss(scope: LossScope, leftOut: readonly LossRule[], broken: LossFaults) {
  return (limits: Limits) => {
    const model = lossModel(scope, leftOut, broken);
    return { ...explore(model, limits), taken: model.leases.taken };
  };
}

function withoutVersion(change: Change<Lease>): Change<Lease> {
  const isVersion = (test: Test) => test.field === 'v' && test.is === 'equal';
  return { ...change, when: change.when.map((tests) => tests.filter((test) => !isVersion(test))) };
}

/** A gate that also lets the turn of an adopted lease begin. */
function bindsAdopted(...alsoSame: readonly 'liveArn'[]) {
  return (change: Change<Lease>): Change<Lease> => ({
    ...change,
    when: [
      ...change.when,
      [
        change.when[0]![0]!,
        { field: 'phase', is: 'equal', value: 'running' },
        { field: 'boot', is: 'absent' },
        ...alsoSame.map((field) => ({ field, is: 'equal', value: change.set[field]! }) as const),
      ],
    ],
  });
}
