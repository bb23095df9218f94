import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const dist = new URL('../../dist/', import.meta.url);

/** The files of a program that are read before its first line runs. */
function readAtStart(entry: string): readonly string[] {
  const found = new Set<string>();
  const waiting = [entry];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    const text = readFileSync(fileURLToPath(new URL(file, dist)), 'utf8');
    waiting.push(...[...text.matchAll(/^(?:import|\} from) ?"\.\/([\w.-]+)";$/gm)].map(([, name]) => name!));
    waiting.push(...[...text.matchAll(/^import .* from "\.\/([\w.-]+)";$/gm)].map(([, name]) => name!));
  }
  return [...found];
}

test('a command that asks no stack does not wait for what speaks to AWS', () => {
  const files = readAtStart('evenkeel.js');
  const all = files.map((file) => readFileSync(fileURLToPath(new URL(file, dist)), 'utf8')).join('\n');
  // The ledger of one machine is spoken to in the same way as that of a deployment.
  const spoken = [...all.matchAll(/^\/\/ node_modules\/@aws-sdk\/client-([\w-]+)\//gm)].map(
    ([, name]) => name,
  );
  expect([...new Set(spoken)]).toEqual(['dynamodb']);
});

test('the turn program is one file: a container fetches nothing else', () => {
  expect(readAtStart('turn.js')).toEqual(['turn.js']);
  expect(readFileSync(fileURLToPath(new URL('turn.js', dist)), 'utf8')).not.toMatch(/\bimport\("\.\//);
});
