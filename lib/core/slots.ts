import type { Contract } from './contract.ts';
import type { Reason } from './decision.ts';
import { type Issue, type StateKey, stateKey } from './issue.ts';
import type { Lease } from './lease.ts';
import type { Workflow } from './workflow.ts';

/** How many turns the deployment runs at most, and how many leases of all its boards are taken now. */
export interface DeploymentSlots {
  readonly cap: number;
  readonly used: number;
}

/**
 * Counts slots as a plan hands them out. A turn holds one of the deployment, one of its board, one of the column it
 * started from and one of the in-progress column, as frozen on its lease; everything that is not idle counts.
 */
export interface SlotCounter {
  /** Why there is no room for this issue, or undefined after taking its slots. */
  take(issue: Issue): FullCap | undefined;
}

export interface FullCap {
  readonly reason: Extract<Reason, `cap-${string}`>;
  readonly detail: string;
  /** A cap of zero gives no room however long one waits. */
  readonly toResume: string | undefined;
}

export function countSlots(
  leases: Iterable<Lease>,
  contract: Contract,
  workflow: Workflow,
  deployment: DeploymentSlots,
): SlotCounter {
  const held = [...leases].filter((lease) => lease.phase !== 'idle');
  const caps = new Map(
    Object.entries(workflow.agent.max_concurrent_agents_by_state).map(([name, cap]) => [
      stateKey(name),
      { name, cap },
    ]),
  );
  const byState = new Map<StateKey, number>();
  for (const lease of held)
    for (const key of lease.capStates ?? []) byState.set(key, (byState.get(key) ?? 0) + 1);
  let inDeployment = deployment.used;
  let onBoard = held.length;

  return {
    take(issue) {
      const boardCap = workflow.agent.max_concurrent_agents;
      if (inDeployment >= deployment.cap)
        return {
          reason: 'cap-deployment',
          ...describeCap(inDeployment, deployment.cap, 'in the deployment', 'the cap of the deployment'),
        };
      if (onBoard >= boardCap)
        return {
          reason: 'cap-board',
          ...describeCap(onBoard, boardCap, 'on this board', 'agent.max_concurrent_agents'),
        };
      const columns = capStatesOf(issue, contract);
      for (const key of columns) {
        const limit = caps.get(key);
        const used = byState.get(key) ?? 0;
        if (limit !== undefined && used >= limit.cap)
          return {
            reason: 'cap-state',
            ...describeCap(
              used,
              limit.cap,
              `in "${limit.name}"`,
              `agent.max_concurrent_agents_by_state of "${limit.name}"`,
            ),
          };
      }
      inDeployment += 1;
      onBoard += 1;
      for (const key of columns) byState.set(key, (byState.get(key) ?? 0) + 1);
      return undefined;
    },
  };
}

/** The columns in which a turn of this issue holds a slot: where it starts from, and where it will stand. */
export function capStatesOf(issue: Pick<Issue, 'state'>, contract: Contract): readonly StateKey[] {
  const columns = [
    ...(issue.state === undefined ? [] : [stateKey(issue.state)]),
    ...(contract.inProgress ? [contract.inProgress.key] : []),
  ];
  return [...new Set(columns)];
}

function describeCap(
  used: number,
  cap: number,
  where: string,
  setting: string,
): Pick<FullCap, 'detail' | 'toResume'> {
  return {
    detail: `${used} of ${cap} turns ${where} are taken`,
    toResume: cap === 0 ? `raise ${setting} above 0` : undefined,
  };
}
