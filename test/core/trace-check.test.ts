import { describe, expect, test } from 'vitest';
import { checkTrace, traceChecker } from '../../lib/core/trace-check.ts';
import {
  adopted,
  beat,
  claim,
  claimed,
  contract,
  end,
  intended,
  launched,
  of,
  read,
  refused,
  released,
  settled,
  started,
  stoppedSeen,
  type Told,
  tick,
  tickEnded,
  told,
  traceOf,
  turn,
  verified,
  work,
  write,
  written,
} from '../support/trace-story.ts';

describe('a trace of a run that kept its promises shows no violation:', () => {
  test.each<readonly [what: string, facts: readonly Told[]]>([
    [
      'one turn from claim to hand-off',
      [tick(1), ...claim('t1'), ...work('t1'), ...write('t1'), settled('t1'), released('t1')],
    ],
    ['a second turn after the first was released', [...turn('t1', 1, 1), ...turn('t2', 2, 2)]],
    [
      'two issues at once',
      [tick(1), ...claim('t1'), started('t1'), ...of('i2', [...claim('t2'), started('t2')])],
    ],
    [
      'a launch that is repeated and started late',
      [tick(1), ...claim('t1'), launched('t1'), launched('t1'), started('t1')],
    ],
    [
      'a launch that was given up before it started',
      [tick(1), ...claim('t1'), launched('t1'), released('t1'), tick(2), ...claim('t2', 2, 2)],
    ],
    [
      'a claim of a superseded tick that the next one releases',
      [tick(1), claimed('t1'), tick(2), released('t1'), ...claim('t2', 2, 2)],
    ],
    [
      'a start that is repeated by the same container',
      [tick(1), ...claim('t1'), started('t1'), started('t1')],
    ],
    [
      'a second container of a turn that was refused and is seen stopped',
      [tick(1), ...claim('t1'), started('t1'), stoppedSeen('t1', { arn: 'other' }), started('t1')],
    ],
    [
      'a killed host whose turn is adopted',
      [
        tick(1),
        ...claim('t1'),
        started('t1'),
        tick(1, { gen: 'g2' }),
        adopted('t1'),
        beat('t1'),
        ...end('t1'),
      ],
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
      'a park that was lost with the ledger',
      [tick(1), told('parked'), tick(1, { gen: 'g2' }), ...claim('t1')],
    ],
    ['a parked issue that a person moved', [tick(1), told('parked'), told('reset'), ...claim('t1')]],
    [
      'a retry at its time',
      [tick(1), told('retry-scheduled', { until: 9_000 }), claimed('t1', { time: 9_000 })],
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
    [
      'caps that are filled',
      [tick(1, { live: 1, cap: 2 }), ...claim('t1'), tickEnded(1, { live: 2, cap: 2 })],
    ],
    [
      'a slot that is freed and taken again within a tick',
      [tick(2, { live: 1, cap: 1 }), ...of('i2', [...end('t1')]), ...claim('t2', 2, 2)],
    ],
    ['a lowered cap that stops nobody', [tick(1, { live: 3, cap: 1 }), tickEnded(1, { live: 3, cap: 1 })]],
    [
      'a write that the tracker refused',
      [tick(1), ...claim('t1'), read('active'), intended('t1'), refused('t1'), ...claim('t2', 2)],
    ],
    [
      'a write of a dead run that a later one saw through',
      [
        tick(1),
        ...claim('t1'),
        read('active'),
        intended('t1'),
        verified('t1', { invocation: 'later' }),
        released('t1'),
      ],
    ],
    [
      'a close that the write overwrote and that was put back',
      [tick(1), ...claim('t1'), ...write('t1'), read('terminal'), told('repaired'), read('terminal')],
    ],
    [
      'an issue that a person reopened',
      [tick(1), ...claim('t1'), read('terminal'), read('active'), intended('t1'), written('t1')],
    ],
    [
      'a merged state over a hand-off',
      [
        tick(1),
        read('handoff'),
        told('write-intended', { to: 'Done', role: 'merged' }),
        told('written', { to: 'Done', role: 'merged' }),
      ],
    ],
    [
      'a cancelled turn',
      [
        tick(1),
        ...claim('t1'),
        started('t1'),
        told('stop-asked', { turnId: 't1' }),
        read('terminal'),
        ...end('t1'),
      ],
    ],
  ])('%s', (_, facts) => {
    expect(checkTrace(traceOf(facts)).violations).toEqual([]);
  });
});

describe('the report', () => {
  test('names the violation, its issue, its turn and its time', () => {
    const facts = traceOf([tick(1), ...claim('t1'), started('t1'), released('t1')]);
    expect(checkTrace(facts).violations).toEqual([
      {
        rule: 'release-by-evidence',
        time: 5_000,
        issue: 'b/i1',
        turnId: 't1',
        message: 'released before its container was seen stopped',
      },
    ]);
  });

  test('counts the facts by kind', () => {
    const facts = traceOf([tick(1), ...claim('t1'), tick(2)]);
    expect(checkTrace(facts).counts).toEqual({ 'tick-started': 2, claimed: 1, 'claim-confirmed': 1 });
  });

  test('lists what is still open where the trace ends, which is no violation', () => {
    const facts = traceOf([tick(1), ...claim('t1'), started('t1'), read('active'), intended('t1')]);
    expect(checkTrace(facts)).toMatchObject({
      violations: [],
      live: [{ issue: 'b/i1', turnId: 't1' }],
      openWrites: [{ issue: 'b/i1', turnId: 't1', to: 'In Review', since: 6_000 }],
    });
  });

  test('is the same whether the facts are seen at once or one by one', () => {
    const facts = traceOf([tick(1), ...claim('t1'), started('t1'), released('t1'), tick(1)]);
    const checker = traceChecker();
    const found = facts.map((fact) => checker.observe(fact).map(({ rule }) => rule));
    expect(found).toEqual([[], [], [], [], ['release-by-evidence'], ['epoch-once']]);
    expect(checker.report()).toEqual(checkTrace(facts));
  });
});
