import {
  adopted,
  announced,
  beat,
  begun,
  claim,
  claimed,
  confirmed,
  contract,
  counted,
  end,
  intended,
  launched,
  of,
  read,
  refused,
  released,
  running,
  settled,
  started,
  stopAsked,
  stoppedSeen,
  type Told,
  tick,
  told,
  turn,
  verified,
  work,
  write,
  written,
} from './trace-story.ts';

/** Stories of runs that kept every promise, faults and all. */
export const keptPromises: readonly (readonly [what: string, story: readonly Told[]])[] = [
  [
    'one turn from claim to hand-off',
    [...begun, ...work('t1'), ...write('t1'), settled('t1'), released('t1')],
  ],
  ['a second turn after the first was released', [...turn('t1', 1, 1), ...turn('t2', 2, 2)]],
  ['two issues at once', [...running, ...of('i2', [...claim('t2'), started('t2')])]],
  ['a launch that is repeated and started late', [...begun, launched('t1'), launched('t1'), started('t1')]],
  [
    'a launch that was given up before it started',
    [...begun, launched('t1'), released('t1'), tick(2), ...claim('t2', 2, 2)],
  ],
  [
    'a claim of a superseded tick that the next one releases',
    [tick(1), claimed('t1'), tick(2), released('t1'), ...claim('t2', 2, 2)],
  ],
  ['a start that is repeated by the same container', [...running, started('t1')]],
  [
    'a second container of a turn that was refused and is seen stopped',
    [...running, stoppedSeen('t1', { arn: 'other' }), started('t1')],
  ],
  [
    'a killed host whose turn is adopted',
    [...running, tick(1, { gen: 'g2' }), adopted('t1'), beat('t1'), ...end('t1')],
  ],
  ['a trace that begins in the middle', [tick(7), launched('t1'), started('t1'), ...end('t1')]],
  [
    'a turn that calls before the first tick of a restarted host',
    [beat('t1'), started('t2', { issue: 'i2' }), tick(7), ...end('t1')],
  ],
  [
    'attempts that start again after the ledger was lost',
    [...turn('t1', 4, 1), tick(1, { gen: 'g2' }), ...claim('t2', 1)],
  ],
  [
    'a claim that meets an empty ledger, and is never confirmed',
    [
      ...turn('t1', 4, 1),
      tick(2),
      claimed('t2', { attempt: 1, epoch: 2 }),
      released('t2'),
      ...claim('t3', 5, 2),
    ],
  ],
  [
    'a launch that was given up, and is adopted after the loss of the ledger',
    [
      ...begun,
      launched('t1'),
      settled('t1'),
      released('t1'),
      tick(1, { gen: 'g2' }),
      adopted('t1'),
      ...end('t1'),
    ],
  ],
  [
    'the second container of a turn, adopted after the first one ended and the ledger was lost',
    [
      ...turn('t1', 1, 1),
      told('adopted', { turnId: 't1', arn: 'second', gen: 'g2' }),
      stoppedSeen('t1', { arn: 'second' }),
      settled('t1'),
    ],
  ],
  ['a park that was lost with the ledger', [tick(1), told('parked'), tick(1, { gen: 'g2' }), ...claim('t1')]],
  [
    'attempts that are counted anew once the lease was forgotten',
    [...turn('t1', 2, 1), told('forgotten'), tick(2), ...claim('t2', 1, 2)],
  ],
  [
    'a container that asks for a turn whose lease was forgotten',
    [
      ...turn('t1', 2, 1),
      told('forgotten'),
      read('terminal', { turnId: 't1', attempt: 2 }),
      tick(2),
      ...claim('t2', 1, 2),
    ],
  ],
  ['a parked issue that a person moved', [tick(1), told('parked'), told('reset'), ...claim('t1')]],
  [
    'a retry at its time',
    [
      tick(1),
      told('retry-scheduled', { until: 9_000 }),
      claimed('t1', { time: 9_000 }),
      { ...confirmed('t1'), time: 9_000 },
    ],
  ],
  [
    'a retry that a person brought forward',
    [tick(1), told('retry-scheduled', { until: 9e9 }), told('reset'), ...claim('t1')],
  ],
  [
    'a contract that was mended',
    [tick(1), contract(1, false), tick(2), contract(2, true), ...claim('t1', 1, 2)],
  ],
  [
    'a contract that is invalid on another board',
    [tick(1), contract(1, false, { board: 'other' }), ...claim('t1')],
  ],
  ['caps that are filled', [tick(1), counted(1, 1, 2), ...claim('t1')]],
  [
    'a slot that is freed and taken again within a tick',
    [tick(2), counted(2, 1, 1), ...of('i2', [...end('t1')]), ...claim('t2', 2, 2)],
  ],
  ['a lowered cap that stops nobody', [tick(1), counted(1, 3, 1), tick(2), counted(2, 3, 1)]],
  ['a write that the tracker refused', [...begun, ...announced, refused('t1'), ...claim('t2', 2)]],
  [
    'a write of a dead run that a later one saw through',
    [...begun, ...announced, verified('t1', { invocation: 'later' }), released('t1')],
  ],
  [
    'a close that the write overwrote and that was put back',
    [...begun, ...write('t1'), read('terminal'), told('repaired'), read('terminal')],
  ],
  [
    'a close that another run sees while a write is on its way',
    [...begun, ...announced, read('terminal', { invocation: 'other' }), written('t1')],
  ],
  ['an issue that a person reopened', [...begun, read('terminal'), ...announced, written('t1')]],
  [
    'a merged state over a hand-off',
    [
      tick(1),
      read('handoff'),
      told('write-intended', { to: 'Done', role: 'merged' }),
      told('written', { to: 'Done', role: 'merged' }),
    ],
  ],
  ['a cancelled turn', [...running, stopAsked('t1'), read('terminal'), ...end('t1')]],
  ['a turn whose end is told without a look', [...running, told('ended', { turnId: 't1' }), released('t1')]],
  [
    'an end that does not name its container',
    [...running, told('stopped-seen', { turnId: 't1' }), released('t1')],
  ],
  [
    'a slot freed by a launch that was given up',
    [tick(2), counted(2, 1, 1), ...of('i2', [released('t0')]), ...claim('t1', 1, 2)],
  ],
  [
    'a slot freed by a settlement',
    [tick(2), counted(2, 1, 1), ...of('i2', [settled('t0')]), ...claim('t1', 1, 2)],
  ],
  [
    'a turn that was stopped and calls once more',
    [...running, stoppedSeen('t1'), ...claim('t2', 2), started('t2'), beat('t1')],
  ],
  [
    'the in-progress state at the start',
    [
      ...begun,
      read('active'),
      intended('t1', { to: 'Doing', role: 'active' }),
      written('t1', { to: 'Doing', role: 'active' }),
    ],
  ],
  [
    'a close that was put back after the writer died',
    [...begun, ...announced, told('repaired', { invocation: 'later' }), released('t1')],
  ],
  [
    'a settlement beside the open write of another turn',
    [...begun, read('active'), intended('t0'), ...work('t1'), settled('t1')],
  ],
  [
    'an invalid contract in another run without an epoch',
    [told('contract-checked', { valid: false, invocation: 'other' }), told('claimed', { turnId: 't1' })],
  ],
  [
    'a contract that is not said to be valid',
    [tick(1), told('contract-checked', { epoch: 1 }), ...claim('t1')],
  ],
  ['a turn that ended while the ledger was lost', [...running, tick(1, { gen: 'g2' }), ...claim('t2', 1)]],
  [
    'a start that is told after the end of its container',
    [...begun, stoppedSeen('t1'), started('t1'), settled('t1'), ...claim('t2', 2), started('t2')],
  ],
  [
    'a slot freed by a release that nobody told, counted anew',
    [tick(1), counted(1, 0, 1), ...claim('t1'), counted(1, 0, 1), ...of('i2', claim('t2'))],
  ],
];
