import { execFileSync } from 'node:child_process';
import { describe, it } from 'vitest';
import { psProcessTable } from '../../../lib/adapters/local-process/ps-process-table.ts';
import { describeRunner } from '../../contracts/describe-runner.ts';
import { localRunner } from '../../support/local-runner.ts';

describeRunner('local processes', () => localRunner(['slow-stop']));

const why = psIsMissing();
if (why === undefined) {
  describeRunner('local processes, as ps tells them', () =>
    localRunner(['slow-stop'], { processes: psProcessTable() }),
  );
} else {
  describe('local processes, as ps tells them', () => it.skip(`skipped: ${why}`, () => {}));
  console.warn(`local processes, as ps tells them: skipped, ${why}`);
}

function psIsMissing(): string | undefined {
  try {
    execFileSync('ps', ['-axo', 'pid=,lstart='], { stdio: ['ignore', 'pipe', 'ignore'] });
    return undefined;
  } catch (error) {
    return `this machine has no ps that lists start times: ${(error as Error).message}`;
  }
}
