import { execFileSync } from 'node:child_process';

/** Bundles the entries once before the tests, so that process tests run what users run and never a stale build. */
export function setup(): void {
  execFileSync(process.execPath, ['scripts/bundle.mjs'], { stdio: 'inherit' });
}
