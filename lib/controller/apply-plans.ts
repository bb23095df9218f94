import type { Decision } from '../core/decision.ts';
import type { Instant, IssueId } from '../core/issue.ts';
import { type Applied, applyRepair, applyStart } from './apply.ts';
import type { Invocation } from './invocation.ts';
import type { PlannedBoard } from './plan-boards.ts';

export interface AppliedPlans {
  /** Whether a repair freed something, so that looking again is worth it. */
  readonly changed: boolean;
  readonly problems: readonly string[];
  /** What the repairs took. */
  readonly repairMs: number;
  /** Decisions that were not carried out, as what became of them. */
  readonly revised: ReadonlyMap<Decision, Decision>;
}

interface Task {
  readonly planned: PlannedBoard;
  readonly decision: Decision;
}

/**
 * Carries plans out: repairs first, within half of the tick's time and starting where the rotation stands, so that neither
 * a slow nor a failing issue is always in front of the others; then starts. Every issue is contained.
 */
export async function applyPlans(
  run: Invocation,
  plans: readonly PlannedBoard[],
  pace: { readonly startedAt: Instant; readonly cursor: number },
): Promise<AppliedPlans> {
  const { clock, settings } = run.ports;
  const tasks = plans.flatMap((planned) =>
    planned.plan.decisions.map((decision): Task => ({ planned, decision })),
  );
  const repairs = rotate(
    tasks.filter(({ decision }) => isRepair(decision)),
    pace.cursor,
  );
  const starts = tasks.filter(({ decision }) => decision.action === 'start');
  const problems: string[] = [];
  const revised = new Map<Decision, Decision>();
  const reset = new Set<IssueId>();
  let changed = false;

  const repairFrom = clock.now();
  const repairUntil = pace.startedAt + settings.timing.tickBudgetMs / 2;
  for (const { planned, decision } of repairs) {
    if (clock.now() >= repairUntil) break;
    const applied = await contain(problems, decision, () =>
      applyRepair({ ...run, board: planned.seen.board }, planned.seen, decision),
    );
    changed ||= applied === ('changed' satisfies Applied);
    if (applied === ('reset' satisfies Applied)) reset.add(decision.issueId);
  }

  const repairMs = clock.now() - repairFrom;
  const startUntil = pace.startedAt + settings.timing.tickBudgetMs * 0.9;
  const toReset = new Set(
    repairs.filter(({ decision }) => decision.action === 'reset').map(({ decision }) => decision.issueId),
  );
  let superseded = false;
  for (const { planned, decision } of starts) {
    if (superseded || clock.now() >= startUntil) {
      revised.set(decision, {
        ...decision,
        action: 'wait',
        reason: 'time',
        detail: superseded ? 'a newer tick is at work' : 'this tick has no time left',
      });
      continue;
    }
    if (toReset.has(decision.issueId) && !reset.has(decision.issueId)) {
      revised.set(decision, {
        ...decision,
        action: 'wait',
        reason: 'unknown',
        detail: 'it is not known yet that its counters start anew',
      });
      continue;
    }
    const started = await contain(problems, decision, () =>
      applyStart({ ...run, board: planned.seen.board }, planned.seen, decision, reset.has(decision.issueId)),
    );
    superseded = started === 'superseded';
  }
  return { changed, problems, revised, repairMs };
}

function isRepair({ action, note }: Decision): boolean {
  return (
    ['repeat', 'stop', 'settle', 'release', 'finish-write', 'reset', 'forget'].includes(action) ||
    note !== undefined
  );
}

/** One failing issue never stops the others; the tick says so at its end. */
async function contain<Result>(
  problems: string[],
  decision: Decision,
  act: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await act();
  } catch (error) {
    problems.push(
      `${decision.key}: ${decision.action} failed: ${error instanceof Error ? error.message : 'unknown'}`,
    );
    return undefined;
  }
}

function rotate<Item>(items: readonly Item[], by: number): readonly Item[] {
  const first = items.length === 0 ? 0 : by % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}
