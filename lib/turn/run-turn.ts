import { randomBytes } from 'node:crypto';
import {
  type Instructions,
  type StartAnswer,
  type TurnResult,
  turnExitCodes,
} from '../core/turn-protocol.ts';
import { settleIn } from './container.ts';
import { unforeseenFailure } from './failure.ts';
import { type Boot, openTurn } from './open-turn.ts';
import { persist } from './persist.ts';
import { leaveResult, reportResult } from './report-result.ts';
import { stopAtSignals, stopSwitch } from './stop-switch.ts';
import type { Timing } from './timing.ts';
import { turnApiClient } from './turn-api-client.ts';
import { passMore, takeEnvironment } from './turn-environment.ts';
import { outcomePath } from './turn-folder.ts';
import { turnLog } from './turn-log.ts';
import { workOnIssue } from './work-on-issue.ts';

/**
 * The turn program from its first moment to its exit code. It passes the gate or leaves; it works as far as the lease lets
 * it; and when it ends its result is recorded, or lies in its folder.
 */
export async function runTurn(env: NodeJS.ProcessEnv, timing: Timing): Promise<number> {
  const stop = stopSwitch(timing.stopBudgetMs);
  stopAtSignals(stop);
  const arn = await settleIn(env);
  const environment = takeEnvironment(env);
  const key = randomBytes(32).toString('base64url');
  const api = turnApiClient({ ...environment, ...timing, key, arn });
  const boot: Boot = { environment, api, stop, timing, log: turnLog(environment.turnId) };
  const passed = await passGate(boot);
  return typeof passed === 'number'
    ? passed
    : carryOut(
        { ...boot, environment: passMore(environment, passed.agentEnvironment ?? {}) },
        passed.instructions,
      );
}

type Passed = Extract<StartAnswer, { answer: 'go' }>;

/** What the turn is let in with, or the exit code of one that was not let in. */
async function passGate({ environment, api, timing, stop, log }: Boot): Promise<Passed | number> {
  const answered = await persist(
    async () => {
      const latest = await api.start();
      if (latest.kind === 'unanswered') log('no answer to start', { problem: latest.problem });
      return latest;
    },
    ({ kind }) => kind === 'answered',
    { ...timing, patienceMs: timing.startPatienceMs, signal: stop.stopping },
  );
  if (answered?.kind !== 'answered') {
    const stopped = stop.reason();
    log('turn does not begin', { reason: stopped?.reason ?? 'nobody answered' });
    // Whether it was let in is not known: the answer may have been lost with the host that gave it.
    const result: TurnResult = {
      version: 1,
      status: 'stopped',
      cause: stopped?.cause ?? 'no-answer',
      verify: [],
    };
    await leaveResult(outcomePath(environment.dir), result, log);
    return turnExitCodes.unanswered;
  }
  if (answered.answer.answer === 'go') return answered.answer;
  log('turn does not begin', { reason: answered.answer.reason });
  return turnExitCodes.refused;
}

/** From here on the lease is this turn's, and whatever happens has to be told. */
async function carryOut(boot: Boot, instructions: Instructions): Promise<number> {
  const { api, log, timing } = boot;
  log('turn begins', { attempt: instructions.attempt });
  const turn = await openTurn(boot, instructions).catch((error: unknown) => unforeseenFailure(error));
  if ('retryable' in turn) {
    log('turn could not be set up', { problem: turn.detail });
    const result: TurnResult = { version: 1, status: 'failed', failure: turn, verify: [] };
    await persist(
      () => api.result(result),
      ({ kind }) => kind === 'answered',
      { ...timing, patienceMs: timing.startPatienceMs },
    );
    return turnExitCodes.unanswered;
  }
  const result = await workOnIssue(turn);
  turn.lease.end();
  const [recorded] = await Promise.all([reportResult(turn, api, result), turn.access.giveBack()]);
  log('turn ended', { status: result.status, failure: result.failure?.kind, recorded });
  return turnExitCodes[recorded];
}
