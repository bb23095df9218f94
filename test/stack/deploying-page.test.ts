import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { contextKeys } from '../../lib/stack/deployment-context.ts';
import { describeDeployment } from '../../lib/stack/describe-deployment.ts';
import type { Evenkeel } from '../../lib/stack/evenkeel.ts';
import { priceIdle } from '../../lib/stack/idle-cost.ts';
import { evenkeelStack, templateOf } from '../support/stack-world.ts';

const deploying = readFileSync('docs/deploying.md', 'utf8');
const readme = readFileSync('README.md', 'utf8');

/** The cells of the table below a heading, without its head. */
function tableBelow(heading: string, page = deploying): readonly (readonly string[])[] {
  const section = page.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) => row.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')));
}

const keysOf = (table: readonly (readonly string[])[]) => table.map(([key]) => key?.replaceAll('`', ''));

test('docs/deploying.md and README.md name every key of the context, and no other', () => {
  expect(keysOf(tableBelow('Every key'))).toEqual(contextKeys);
  expect(keysOf(tableBelow('In an AWS account', readme))).toEqual(contextKeys);
});

test('README.md names the outputs that a deployment really has', () => {
  const stack = evenkeelStack();
  describeDeployment(stack, stack.node.findChild('Evenkeel') as Evenkeel);
  const section = readme.split('## In an AWS account\n')[1]!.split('\n## ')[0]!;
  const named = [...section.matchAll(/the output `(\w+)`/g)].map(([, name]) => name!);
  expect(named).toEqual(['SecretName', 'WebhookUrlgithub']);
  expect(Object.keys(templateOf(stack).toJSON().Outputs)).toEqual(expect.arrayContaining(named));
});

test('docs/deploying.md shows the prices that `npm run cost` prints', () => {
  const lines = priceIdle(templateOf(evenkeelStack()).toJSON() as never);
  const sum = lines.reduce((total, { usd }) => total + usd, 0);
  expect(tableBelow('What it costs').map(([usd, what]) => [usd, what])).toEqual([
    ...lines.map(({ usd, what }) => [usd.toFixed(2), what]),
    [`**${sum.toFixed(2)}**`, 'together'],
  ]);
});
