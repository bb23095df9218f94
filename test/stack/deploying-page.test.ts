import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { contextKeys } from '../../lib/stack/deployment-context.ts';
import { priceIdle } from '../../lib/stack/idle-cost.ts';
import { evenkeelStack, templateOf } from '../support/stack-world.ts';

const page = readFileSync('docs/deploying.md', 'utf8');

/** The cells of the table below a heading, without its head. */
function tableBelow(heading: string): readonly (readonly string[])[] {
  const section = page.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) => row.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')));
}

test('docs/deploying.md names every key of the context, and no other', () => {
  expect(tableBelow('Every key').map(([key]) => key?.replaceAll('`', ''))).toEqual(contextKeys);
});

test('docs/deploying.md shows the prices that `npm run cost` prints', () => {
  const lines = priceIdle(templateOf(evenkeelStack()).toJSON() as never);
  const sum = lines.reduce((total, { usd }) => total + usd, 0);
  expect(tableBelow('What it costs').map(([usd, what]) => [usd, what])).toEqual([
    ...lines.map(({ usd, what }) => [usd.toFixed(2), what]),
    [`**${sum.toFixed(2)}**`, 'together'],
  ]);
});
