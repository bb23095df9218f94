import type { Issue, StateName } from '../../lib/core/issue.ts';
import type { Lease } from '../../lib/core/lease.ts';
import { planTick } from '../../lib/core/plan.ts';
import { buildIssue } from '../support/build-issue.ts';
import { buildLease, buildObservation, now } from '../support/build-observation.ts';
import { buildWorkflow } from '../support/build-workflow.ts';
import { medianCpuMs, printTable } from './measure.ts';

const sizes = [1_000, 10_000, 100_000];

/**
 * How long planning takes as the board grows. What n log n means on this machine, with its caches and its garbage
 * collector, is shown by sorting the same issues in the same run: planning grows no faster if the last column stays or falls.
 */
export function benchPlanGrowth(): void {
  const rows: string[][] = [];
  let before: Times | undefined;
  for (const size of sizes) {
    const times = measure(size);
    rows.push([
      size.toLocaleString('en'),
      times.plan.toFixed(2),
      ((times.plan * 1_000) / size).toFixed(2),
      before === undefined ? '' : `${(times.plan / before.plan).toFixed(1)}x`,
      before === undefined ? '' : `${(times.sort / before.sort).toFixed(1)}x`,
      `${(times.plan / times.sort).toFixed(1)}x`,
    ]);
    before = times;
  }
  printTable(
    'planTick over one board: one issue in ten has a lease, one in ten a blocker, caps are nearly full',
    ['issues', 'cpu ms', 'us per issue', 'growth', 'growth of a sort', 'plan / sort'],
    rows,
  );
}

interface Times {
  readonly plan: number;
  readonly sort: number;
}

function measure(size: number): Times {
  const runs = 1_000_000 / size + 5;
  const issues = Array.from({ length: size }, (_, n) => issueOf(n, size));
  const leases = Array.from({ length: size / 10 }, (_, n) => leaseOf(n));
  const observation = buildObservation({ issues, leases });
  const workflow = buildWorkflow({
    agent: { max_concurrent_agents: 1_000, max_concurrent_agents_by_state: { Todo: 500 } },
  });
  const deployment = { cap: 1_000, used: 100 };
  return {
    plan: medianCpuMs(runs, () => planTick(observation, workflow, deployment, now)),
    sort: medianCpuMs(runs, () => [...issues].sort(byPriorityAndAge)),
  };
}

function byPriorityAndAge(a: Issue, b: Issue): number {
  return (a.priority ?? 5) - (b.priority ?? 5) || a.createdAt! - b.createdAt! || (a.key < b.key ? -1 : 1);
}

function issueOf(n: number, size: number): Issue {
  return buildIssue({
    id: `T-${n}`,
    state: n % 10 === 0 ? 'In Progress' : 'Todo',
    priority: ([1, 2, 3, 4, undefined] as const)[(n * 7) % 5],
    createdAt: (n * 7_919) % size,
    labels: ['agent', `area-${n % 20}`],
    blockers: n % 10 === 1 ? [{ key: `T-${n + 1}`, open: true }] : [],
  });
}

/** Of every tenth issue: a hundred that run, all others wait for their retry. */
function leaseOf(n: number): Lease {
  const seenState = 'In Progress' as StateName;
  return n < 100
    ? buildLease(`T-${n * 10}`, { phase: 'running', hb: 0, hbSeen: 0, hbSeenAt: now, seenState })
    : buildLease(`T-${n * 10}`, { nextAt: now + 60_000, turns: 1, seenState });
}
