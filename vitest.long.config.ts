import { defineConfig } from 'vitest/config';
import { skipReporter } from './test/support/skip-reporter.ts';

/** Minutes, not seconds: rounds of kills against real processes, one file at a time so that they do not starve each other. */
export default defineConfig({
  test: {
    include: ['test/long/**/*.test.ts'],
    globalSetup: ['test/support/bundle.ts'],
    reporters: ['default', skipReporter],
    fileParallelism: false,
    testTimeout: 3_600_000,
    hookTimeout: 120_000,
  },
});
