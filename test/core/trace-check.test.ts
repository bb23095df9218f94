import { describe, expect, test } from 'vitest';
import { factKinds } from '../../lib/core/trace.ts';
import { checkTrace, traceChecker } from '../../lib/core/trace-check.ts';
import { keptPromises } from '../support/kept-promises.ts';
import { claim, intended, read, released, started, tick, traceOf } from '../support/trace-story.ts';

describe('a trace of a run that kept its promises shows no violation:', () => {
  test.each(keptPromises)('%s', (_, story) => {
    expect(checkTrace(traceOf(story)).violations).toEqual([]);
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

test('facts that leave out what they are about are taken as they are', () => {
  const facts = factKinds.map((fact, n) => ({ time: n, fact }));
  const { violations } = checkTrace([{ time: 0, fact: 'tick-started' }, ...facts]);
  expect(violations.map(({ rule }) => rule)).toEqual(['write-after-read', 'write-announced']);
});
