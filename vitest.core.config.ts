import { defineConfig } from 'vitest/config';

/** The core alone: pure, so that nothing has to be bundled first and each mutant costs little. */
export default defineConfig({
  test: { include: ['test/core/**/*.test.ts'], testTimeout: 20_000 },
});
