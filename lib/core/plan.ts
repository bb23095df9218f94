import { admit, type Candidate, orderCandidates } from './admission.ts';
import { type Contract, type Problem, unreadBoard } from './contract.ts';
import type { Decision } from './decision.ts';
import { decideForgotten } from './forget.ts';
import type { Instant, IssueId, IssueKey, Reading } from './issue.ts';
import { type Lease, unclaimedLease } from './lease.ts';
import { resetLedger } from './ledger-fold.ts';
import { decideMerged } from './merged.ts';
import type { LiveTask, Observation } from './observation.ts';
import { isMovedByPerson } from './person-move.ts';
import { decideRepair } from './repair.ts';
import { countSlots, type DeploymentSlots } from './slots.ts';
import { decideStrays } from './strays.ts';
import { decideUnlisted } from './unlisted.ts';
import type { Workflow } from './workflow.ts';

export interface Plan {
  /** What keeps all of the board from starting anything. */
  readonly problems: readonly Problem[];
  /** Repairs first, then admissions in their order; every issue that is not started stands here with its reason. */
  readonly decisions: readonly Decision[];
}

/**
 * Plans one board: what to repair, what to start, and why everything else is left. Pure; the same observation gives the
 * same plan, whether a tick applies it or a person only asks. Every path to a start goes through here.
 */
export function planTick(
  observation: Observation,
  workflow: Workflow,
  deployment: DeploymentSlots,
  now: Instant,
): Plan {
  const readings = collectReadings(observation);
  const held = [...observation.leases.values()].filter(
    (lease) => lease.phase !== 'idle' || lease.pending !== undefined,
  );
  const idle = [...observation.leases.values()].filter(
    (lease) => lease.phase === 'idle' && lease.pending === undefined,
  );
  const repairs = held.map((lease) =>
    decideRepair(lease, readings.get(lease.issueId) ?? unread, observation, workflow, now),
  );
  const merged = decideMerged(observation, workflow, now);
  const isMerged = new Set(merged.map(({ issueId }) => issueId));
  const resets = idle
    .filter(({ issueId }) => !isMerged.has(issueId))
    .flatMap((lease) => decideReset(lease, readings.get(lease.issueId)));
  const afterReset = new Map(
    resets.map((decision) => [
      decision.issueId,
      resetOf(observation.leases.get(decision.issueId)!, decision),
    ]),
  );
  const ledger = new Map([...observation.leases, ...afterReset]);
  const strays = decideStrays({ ...observation, leases: ledger });
  const told = new Set([...merged, ...strays].map(({ issueId }) => issueId));
  const untold = idle.filter(({ issueId }) => !told.has(issueId));
  return {
    problems: findProblems(observation),
    decisions: [
      ...repairs,
      ...decideOrphans(observation),
      ...merged,
      ...resets,
      ...decideAdmissions(observation, ledger, workflow, deployment, now),
      ...strays,
      ...decideUnlisted(
        observation,
        untold.map((lease) => ledger.get(lease.issueId)!),
        readings,
        workflow,
      ),
      ...decideForgotten(observation, untold, workflow, now),
    ],
  };
}

/** A contract that does not hold, or else a board whose issues could not be listed: that nothing is listed says nothing then. */
function findProblems({ contract, listing }: Observation): readonly Problem[] {
  if (!contract.valid) return contract.problems;
  return listing.kind === 'incomplete' ? [unreadBoard(listing.problem)] : [];
}

const unread: Reading = { kind: 'unknown', problem: 'it was not read' };

function collectReadings({ listing, readings }: Observation): ReadonlyMap<IssueId, Reading> {
  if (listing.kind === 'incomplete') return readings;
  const listed = listing.issues.map((issue): [IssueId, Reading] => [issue.id, { kind: 'found', issue }]);
  return new Map([...listed, ...readings]);
}

function decideReset(lease: Lease, reading: Reading | undefined): readonly Decision[] {
  if (reading?.kind !== 'found' || !isMovedByPerson(lease, reading.issue)) return [];
  const { issue } = reading;
  const detail = `a person moved it from "${lease.seenState}" to "${issue.state}"; its counters start anew`;
  return [{ issueId: issue.id, key: issue.key, action: 'reset', reason: 'moved-by-person', detail, issue }];
}

function resetOf(lease: Lease, decision: Decision): Lease {
  const update = resetLedger(decision.issue!.state);
  const kept = Object.fromEntries(
    Object.entries(lease).filter(([field]) => !(update.remove as readonly string[]).includes(field)),
  );
  return { ...(kept as unknown as Lease), ...update.set };
}

/** Live tasks whose turn is on no lease: they do no work and are stopped, and their issues start only when they are gone. */
function findOrphans({ liveTasks, leases }: Observation): readonly LiveTask[] {
  return liveTasks.filter((task) => leases.get(task.issueId)?.turnId !== task.turnId);
}

function decideOrphans(observation: Observation): readonly Decision[] {
  const { leases } = observation;
  return findOrphans(observation).map((task) => ({
    issueId: task.issueId,
    key: leases.get(task.issueId)?.key ?? (task.issueId as string as IssueKey),
    action: 'stop',
    reason: 'superseded',
    detail: 'a task runs that no lease names; the issue starts again when it is seen stopped',
    turnId: task.turnId,
    orphan: task,
  }));
}

function decideAdmissions(
  observation: Observation,
  ledger: ReadonlyMap<IssueId, Lease>,
  workflow: Workflow,
  deployment: DeploymentSlots,
  now: Instant,
): readonly Decision[] {
  const { listing } = observation;
  if (listing.kind === 'incomplete') return [];
  const contract: Contract = observation.contract.contract ?? noContract;
  const today = new Date(now).toISOString().slice(0, 10);
  const context = {
    observation,
    listing,
    workflow,
    now,
    slots: countSlots(observation.leases.values(), contract, workflow, deployment),
    spentTodayUsd: [...observation.leases.values()].reduce(
      (sum, { spendDay }) => sum + (spendDay?.day === today ? spendDay.usd : 0),
      0,
    ),
  };
  const free = listing.issues
    .map(
      (issue): Candidate => ({
        issue,
        lease: ledger.get(issue.id) ?? unclaimedLease(observation.board, issue.id, issue.key),
      }),
    )
    .filter(({ lease }) => lease.phase === 'idle' && lease.pending === undefined);
  const haunted = new Set(findOrphans(observation).map((task) => task.issueId));
  const candidates = orderCandidates(
    free.filter(({ issue }) => !haunted.has(issue.id)),
    observation,
  );
  const broken = listing.broken
    .filter(({ id }) => (observation.leases.get(id)?.phase ?? 'idle') === 'idle')
    .map(
      ({ id, key, problem, conflictingStates }): Decision => ({
        issueId: id,
        key,
        action: 'wait',
        reason: conflictingStates ? 'conflicting-states' : 'unknown',
        detail: problem,
        toResume: 'mend the issue',
      }),
    );
  return [...candidates.map((candidate) => admit(candidate, context)), ...broken];
}

const noContract: Contract = {
  active: [],
  inProgress: undefined,
  handoff: undefined,
  terminal: [],
  merged: undefined,
};
