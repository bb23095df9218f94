import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTick, putTickClosed, stampClosed } from '../../../lib/core/tick-writes.ts';
import { type AskedStack, answerOf, askedStack } from '../../support/aws/asked-stack.ts';

let asked: AskedStack;
beforeEach(async () => {
  asked = await askedStack();
});
afterEach(() => asked.dispose());

const command = ['bootstrap', '--stack', 'keel'];

test('a table without a tick record gets one: closed, under a generation of its own', async () => {
  const { code, stdout, stderr } = await asked.run(command);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('The tick record is put, closed.');
  expect(await asked.ledger.tick()).toEqual({ v: 1, gen: expect.stringMatching(/^[a-z2-7]{26}$/) });
  expect(await asked.items()).toHaveLength(1);
});

test('two at once put one record, and only one says that it did', async () => {
  const both = await Promise.all([asked.run([...command, '--json']), asked.run([...command, '--json'])]);
  const generation = (await asked.ledger.tick())?.gen;
  const told = both.map(answerOf) as { ledger: string; generation: string }[];
  expect(told.map(({ ledger }) => ledger).sort()).toEqual(['closed', 'put']);
  expect(told.map((one) => one.generation)).toEqual([generation, generation]);
});

test('a record that is closed is left alone, and said to be waited for', async () => {
  await asked.ledger.changeTick(putTickClosed('old'));
  const unseen = await asked.runHere(command);
  expect(unseen).toMatchObject({ code: 0, stdout: expect.stringContaining('No tick has seen it yet') });
  await asked.ledger.changeTick(stampClosed('old', Date.now() - 200_000));
  const before = await asked.items();
  const seen = await asked.runHere(command);
  expect(seen).toMatchObject({ code: 0, stdout: expect.stringContaining('Ticks have waited for 4 min') });
  expect(await asked.items()).toEqual(before);
});

test('a record that is open is refused, and left alone', async () => {
  await asked.ledger.changeTick(putTickClosed('old'));
  await asked.ledger.changeTick(openTick('old'));
  const before = await asked.items();
  const { code, stdout, stderr } = await asked.runHere(command);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(
    'The ledger is there and open (no tick has ended yet): nothing was lost, and nothing was changed.',
  );
  expect(await asked.items()).toEqual(before);
});
