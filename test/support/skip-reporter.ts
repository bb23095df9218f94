import type { Reporter, TestModule } from 'vitest/node';

/** Names every test that did not run, so that nothing is left out silently; the name says what it needs. */
export const skipReporter: Reporter = {
  onTestRunEnd(modules: readonly TestModule[]) {
    for (const module of modules) {
      for (const test of module.children.allTests('skipped'))
        console.log(`skipped: ${module.relativeModuleId} > ${test.fullName}`);
    }
  },
};
