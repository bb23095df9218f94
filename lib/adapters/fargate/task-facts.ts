import type { Task, TaskOverride } from '@aws-sdk/client-ecs';
import * as z from 'zod';
import type { LaunchRequest, LiveTask } from '../../controller/ports.ts';
import type { Arn, BoardId, IssueId, StateKey, TurnId } from '../../core/issue.ts';

/** The variables that each task gets of its own; everything else stands in the task definition. */
const variables = { turnId: 'EVENKEEL_TURN_ID', ticket: 'EVENKEEL_TICKET', facts: 'EVENKEEL_TASK' } as const;

/** Opaque ids and names of columns: nothing of the issue's text. */
const factsSchema = z.object({
  board: z.string().min(1),
  issueId: z.string().min(1),
  attempt: z.int().positive(),
  capStates: z.array(z.string()),
});

/**
 * What one task is told beyond its definition. It is all that the task itself remembers of its turn, so that a turn is
 * known again when the ledger is lost.
 */
export function overridesOf(
  { turnId, ticket, board, issueId, attempt, capStates, task }: LaunchRequest,
  container: string,
): TaskOverride {
  const environment = [
    { name: variables.turnId, value: turnId },
    { name: variables.ticket, value: ticket },
    { name: variables.facts, value: JSON.stringify({ board, issueId, attempt, capStates }) },
  ];
  return {
    cpu: String(task.cpu),
    memory: String(task.memory),
    ephemeralStorage: { sizeInGiB: task.disk_gib },
    containerOverrides: [{ name: container, environment }],
  };
}

/** What a task is in before its containers run. */
const bootPhases: ReadonlySet<string> = new Set(['PROVISIONING', 'PENDING', 'ACTIVATING']);

/** What the service takes as overrides, their punctuation included. */
export const mostOverrideCharacters = 8_192;

/** The turn that a task runs; undefined when its overrides do not say. */
export function readFacts(task: Task, container: string): LiveTask | undefined {
  const own = task.overrides?.containerOverrides?.find(({ name }) => name === container);
  const variable = (wanted: string) => own?.environment?.find(({ name }) => name === wanted)?.value;
  const facts = factsSchema.safeParse(parseJson(variable(variables.facts)));
  const turnId = variable(variables.turnId);
  if (!facts.success || turnId === undefined || turnId !== task.startedBy) return undefined;
  const { board, issueId, attempt, capStates } = facts.data;
  return {
    arn: task.taskArn as Arn,
    turnId: turnId as TurnId,
    board: board as BoardId,
    issueId: issueId as IssueId,
    attempt,
    capStates: capStates as StateKey[],
    ...(bootPhases.has(task.lastStatus ?? '') && { isBooting: true }),
  };
}

function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
