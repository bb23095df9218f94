import { describeStatus } from './describe-status.ts';
import { explainIssue } from './explain-issue.ts';
import { listHistory } from './list-history.ts';
import type { Operations } from './operations.ts';
import { pauseBoards, resumeBoards } from './pause-boards.ts';
import { planOnly } from './plan-only.ts';
import { reportPlan, reportTick } from './plan-report.ts';
import type { Ports } from './ports.ts';
import type { TickReport } from './reconcile.ts';

/**
 * The operations of a deployment over its ports. `tick` runs one as the deployment's schedule would; every host has its own
 * way to keep ticks apart.
 */
export function portsOperations(ports: Ports, tick: () => Promise<TickReport>): Operations {
  return {
    status: () => describeStatus(ports),
    plan: async () => reportPlan((await planOnly(ports)).boards),
    explain: (key, board) => explainIssue(ports, key, board),
    history: (key) => listHistory(ports, key),
    tick: async () => reportTick(await tick()),
    pause: (board) => pauseBoards(ports, board),
    resume: (board) => resumeBoards(ports, board),
  };
}
