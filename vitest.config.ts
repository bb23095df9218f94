import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/long/**', 'node_modules/**'],
    globalSetup: ['test/support/bundle.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
