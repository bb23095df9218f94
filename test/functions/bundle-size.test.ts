import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

// A bundle is read and compiled at every cold start; what is not used there must not be carried along.
test.each([
  ['reconcile', 600_000],
  ['turn-end', 600_000],
  ['turn-api', 700_000],
  ['webhook', 350_000],
])('the bundle of %s is under %i bytes', (name, mostBytes) => {
  const bundle = fileURLToPath(new URL(`../../dist/functions/${name}/index.mjs`, import.meta.url));
  expect(statSync(bundle).size).toBeLessThan(mostBytes);
});
