import { defineConfig } from 'vitest/config';
import { skipReporter } from './test/support/skip-reporter.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/long/**', 'node_modules/**'],
    globalSetup: ['test/support/bundle.ts'],
    reporters: ['default', skipReporter],
    // Most of the time goes into waiting for processes that tests start: one worker a core, less one, would idle.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
