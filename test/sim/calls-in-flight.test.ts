import { expect, test } from 'vitest';
import { SimulatedTrouble } from './calls-in-flight.ts';
import { makeKernel, type Proc } from './kernel.ts';

const hourMs = 3_600_000;

/** Carries one call with this fault, and tells what its sender and its receiver saw of it. */
async function carry(kind: string | undefined, { diesWithSender = false, killedAtMs = hourMs } = {}) {
  const kernel = makeKernel({ startAt: 0, diesWithSender, onKill: () => undefined });
  const seen = { answer: 'none', landedByThen: 0, landed: 0 };
  const proc: Proc = kernel.spawn('test', Number.POSITIVE_INFINITY, () => new Promise(() => undefined));
  kernel.at(killedAtMs, () => kernel.kill(proc, 'the test'));
  const note = (answer: string) => Object.assign(seen, { answer, landedByThen: seen.landed });
  const effect = () => {
    seen.landed += 1;
    return `answer ${seen.landed}`;
  };
  const fault = kind === undefined ? undefined : { kind, ms: 60_000 };
  kernel.io(proc, { name: 'call', fault, latencyMs: 10, timeoutMs: 5_000, effect }).then(note, (error) => {
    note(error instanceof SimulatedTrouble ? 'trouble' : 'something else');
  });
  await kernel.runUntil(2 * hourMs);
  return seen;
}

/** What becomes of a call: its answer, how often it had its effect when the answer came, and how often in the end. */
const ways: readonly (readonly [string | undefined, string, number, number])[] = [
  [undefined, 'answer 1', 1, 1],
  ['kill-before', 'none', 0, 0],
  ['kill-sent', 'none', 0, 1],
  ['kill-after', 'none', 0, 1],
  ['fail', 'trouble', 0, 0],
  ['lost', 'trouble', 1, 1],
  ['late', 'trouble', 0, 1],
  ['doubled', 'answer 1', 1, 2],
  ['retried', 'answer 2', 2, 2],
  ['slow', 'answer 1', 1, 1],
];

for (const diesWithSender of [false, true])
  test.each(ways)(
    `a call whose fault is %s is answered with %s (${diesWithSender ? 'one machine' : 'functions'})`,
    async (kind, answer, landedByThen, landed) => {
      expect(await carry(kind, { diesWithSender })).toEqual({ answer, landedByThen, landed });
    },
  );

test('what a function has sent lands after its death, and what a machine has not sent by then never does', async () => {
  for (const kind of ['late', 'slow', 'doubled'] as const) {
    const sent = await carry(kind, { killedAtMs: 6_000 });
    const died = await carry(kind, { killedAtMs: 6_000, diesWithSender: true });
    expect([kind, sent.landed - died.landed]).toEqual([kind, 1]);
  }
});

test('whoever is dead gets no answer and sends nothing', async () => {
  expect(await carry(undefined, { killedAtMs: 15 })).toEqual({ answer: 'none', landedByThen: 0, landed: 1 });
});
