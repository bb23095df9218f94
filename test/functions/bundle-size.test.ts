import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

// A bundle is read and compiled at every cold start; what is not used there must not be carried along.
test.each([
  ['reconcile', 600],
  ['turn-end', 600],
  ['turn-api', 600],
  ['webhook', 350],
])('the bundle of %s is under %i KiB', (name, mostKib) => {
  const bundle = fileURLToPath(new URL(`../../dist/functions/${name}/index.mjs`, import.meta.url));
  expect(statSync(bundle).size).toBeLessThan(mostKib * 1024);
});
