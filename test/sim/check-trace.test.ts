import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import type { Fact } from '../../lib/core/trace.ts';
import { checkTrace, type TraceReport } from '../../lib/core/trace-check.ts';
import { formatTraceLine } from '../../lib/core/trace-line.ts';
import { runCli } from '../support/run-cli.ts';
import { drawCase } from './draw-case.ts';
import { runCase } from './run-case.ts';
import { makeTrace } from './trace.ts';

// The simulator judges every fact at once, and `evenkeel check-trace` judges what was printed of it: by the same rules.

/** What the product tells of itself in the world of a seed. */
async function simulatedFacts(seed: number): Promise<readonly Fact[]> {
  const trace = makeTrace({ keep: true });
  expect(await runCase(drawCase(seed), { trace })).toMatchObject({ violation: undefined });
  const told = trace.lines().map((line) => JSON.parse(line) as Partial<Fact>);
  return told.filter((line) => line.fact !== undefined) as Fact[];
}

async function checkPrinted(facts: readonly Fact[]): Promise<{ code: number | null; report: TraceReport }> {
  const input = facts.map((fact) => `${formatTraceLine(fact)}\n`).join('');
  const { code, stdout } = await runCli(['check-trace', '-', '--json'], { cwd: tmpdir(), input });
  return { code, report: JSON.parse(stdout) as TraceReport };
}

test.each([32, 36])('what a simulated world prints passes the command: %i', async (seed) => {
  const facts = await simulatedFacts(seed);
  const { code, report } = await checkPrinted(facts);
  expect(report).toMatchObject({ violations: [], unreadable: [], lines: facts.length });
  expect(code).toBe(0);
});

test('what is wrong with a trace is wrong for the simulator and for the command alike', async () => {
  const facts = await simulatedFacts(32);
  const spoilt = facts
    .filter(({ fact }) => fact !== 'claim-confirmed')
    .flatMap((fact) => (fact.fact === 'settled' ? [fact, fact] : [fact]));
  const { code, report } = await checkPrinted(spoilt);
  expect(code).toBe(1);
  expect(report.violations.map(({ rule }) => rule)).toEqual(
    expect.arrayContaining(['claim-confirm-start', 'settled-once']),
  );
  const { violations } = checkTrace(spoilt);
  expect(report.violations).toEqual(JSON.parse(JSON.stringify(violations)));
});
