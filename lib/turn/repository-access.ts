import { setTimeout as sleep } from 'node:timers/promises';
import type { GitTokenAnswer } from '../core/turn-protocol.ts';
import type { GitEnd } from './git.ts';
import { type AccessSettings, accessByToken, accessOfMachine, type GitAccess } from './git-access.ts';
import { readGitTrouble } from './git-trouble.ts';
import { persist } from './persist.ts';
import type { StopSwitch } from './stop-switch.ts';
import type { Timing } from './timing.ts';
import { type Answered, keepsSecrets } from './turn-api-client.ts';
import type { TurnLog } from './turn-log.ts';

/** The turn's way to its repository: a token that the turn API made for it, else the machine's own access. */
export interface RepositoryAccess {
  /**
   * Runs one contact with what it needs in its environment. A token is asked for when none is held that lasts for a while;
   * one that the code host refuses is replaced once. Where nobody gave any access, nothing is run and git's end says so.
   */
  use(contact: (access: GitAccess) => Promise<GitEnd>, signal: AbortSignal): Promise<GitEnd>;
  /** Ends every token that this turn got, as far as that can be done within a few seconds. Never throws. */
  giveBack(): Promise<void>;
}

export interface RepositoryAccessOptions {
  readonly repository: string;
  readonly settings: AccessSettings;
  readonly ask: () => Promise<Answered<GitTokenAnswer>>;
  readonly timing: Timing;
  readonly stop: StopSwitch;
  readonly log: TurnLog;
}

type Token = NonNullable<Extract<GitTokenAnswer, { answer: 'go' }>['token']>;

export function repositoryAccess(options: RepositoryAccessOptions): RepositoryAccess {
  const { repository, settings, ask, timing, stop, log } = options;
  const received: Token[] = [];
  let held: Token | 'machine' | undefined;
  let problem = '';

  function heldFor(ms: number): Token | 'machine' | undefined {
    const expiresAt = typeof held === 'object' ? held.expiresAt : undefined;
    return expiresAt !== undefined && expiresAt - Date.now() <= ms ? undefined : held;
  }

  async function obtain(signal: AbortSignal): Promise<Token | 'machine' | undefined> {
    const lasting = heldFor(marginMs);
    if (lasting !== undefined) return lasting;
    const answered = await persist(ask, isFinal, {
      ...timing,
      patienceMs: timing.transferPatienceMs,
      signal,
    });
    const answer = answered?.kind === 'answered' ? answered.answer : undefined;
    if (answer?.answer === 'stop') {
      problem = answer.reason;
      stop.ask({ cause: 'asked', reason: answer.reason, keepWork: answer.keepWork });
      return undefined;
    }
    if (answer?.answer !== 'go') {
      problem = (answered?.kind === 'unanswered' ? answered.problem : answer?.reason) ?? 'nobody was asked';
      log('no access to the repository was given', { problem });
      return heldFor(0);
    }
    if (answer.token !== undefined) received.push(answer.token);
    // In the clear, a token is not sent at all.
    held = answer.token !== undefined && keepsSecrets(repository) ? answer.token : 'machine';
    return held;
  }

  return {
    async use(contact, signal) {
      const first = await obtain(signal);
      if (first === undefined) return notGiven(problem);
      if (first === 'machine') return contact(accessOfMachine(settings, repository));
      const end = await contact(accessByToken(settings, repository, first));
      if (end.ok || readGitTrouble(end).kind !== 'not-allowed') return end;
      // It may have been revoked, or be so new that not every server of the code host knows it.
      held = undefined;
      await sleep(timing.firstPauseMs, undefined, { signal }).catch(() => undefined);
      const second = signal.aborted ? undefined : await obtain(signal);
      return typeof second === 'object' ? contact(accessByToken(settings, repository, second)) : end;
    },
    async giveBack() {
      held = undefined;
      await Promise.all(received.splice(0).map((token) => revoke(token, log)));
    },
  };
}

/** A token that ends in the middle of a transfer is of no use. */
const marginMs = 300_000;

function notGiven(problem: string): GitEnd {
  const stderr = `fatal: the turn API gave no access to the repository: ${problem}`;
  return { ok: false, code: undefined, stdout: '', stderr, cut: undefined };
}

/** *Wait* means that nobody knows yet whose lease it is. */
function isFinal(latest: Answered<GitTokenAnswer>): boolean {
  return latest.kind === 'answered' && latest.answer.answer !== 'wait';
}

async function revoke({ password, revokeUrl }: Token, log: TurnLog): Promise<void> {
  if (revokeUrl === undefined || !keepsSecrets(revokeUrl)) return;
  try {
    const { status } = await fetch(revokeUrl, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${password}`, 'user-agent': 'evenkeel' },
      redirect: 'error',
      signal: AbortSignal.timeout(revokeMs),
    });
    // One that is not known there any more has ended, too.
    const isEnded = (status >= 200 && status < 300) || status === 401;
    log(isEnded ? 'access to the repository was given back' : notRevoked, isEnded ? {} : { status });
  } catch (error) {
    const { code, name } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
    log(notRevoked, { problem: code ?? name });
  }
}

const notRevoked = 'access to the repository could not be given back; it ends by itself';

/** As long as a result is told in a turn that was stopped. */
const revokeMs = 3_000;
