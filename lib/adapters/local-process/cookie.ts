import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import type { BoardId, IssueId, StateKey, TurnId } from '../../core/issue.ts';

/** Which turn a task runs. All of it is opaque or a column's name: nothing of the issue's text. */
export interface TaskIdentity {
  readonly turnId: TurnId;
  readonly board: BoardId;
  readonly issueId: IssueId;
  readonly attempt: number;
  readonly capStates: readonly StateKey[];
}

/** The environment variable by which every process of a turn is known, whatever its parent, session or folder. */
export const cookieName = 'EVENKEEL_COOKIE';

/** What a deployment and a turn may be called: their names become part of a cookie and of a path. */
export const plainName = /^[A-Za-z0-9_-]{1,100}$/;

/**
 * The cookie of one start: `deployment.turnId.random.task`. It names the task completely, so that the process table
 * alone tells what runs, also when the turn's folder is gone.
 */
export function bakeCookie(deployment: string, task: TaskIdentity): string {
  const facts = [task.board, task.issueId, task.attempt, task.capStates];
  const packed = Buffer.from(JSON.stringify(facts)).toString('base64url');
  return [deployment, task.turnId, randomBytes(16).toString('hex'), packed].join('.');
}

/** The task that a cookie of this deployment names; undefined for any other text. */
export function readCookie(deployment: string, cookie: string): TaskIdentity | undefined {
  const [owner, turnId = '', random, packed, ...more] = cookie.split('.');
  if (owner !== deployment || !random || packed === undefined || more.length > 0) return undefined;
  const facts = factsSchema.safeParse(parseJson(Buffer.from(packed, 'base64url').toString('utf8')));
  if (!facts.success || !plainName.test(turnId)) return undefined;
  const [board, issueId, attempt, capStates] = facts.data;
  return {
    turnId: turnId as TurnId,
    board: board as BoardId,
    issueId: issueId as IssueId,
    attempt,
    capStates: capStates as StateKey[],
  };
}

const factsSchema = z.tuple([z.string(), z.string(), z.int(), z.array(z.string())]);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
