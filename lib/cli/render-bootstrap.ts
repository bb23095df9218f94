import type { Instant } from '../core/issue.ts';
import type { WriteCommand } from './commands-for.ts';
import type { Bootstrapped } from './stack/bootstrap-ledger.ts';
import { roughDuration } from './time-text.ts';

export interface TellingOf {
  readonly now: Instant;
  readonly command: WriteCommand;
}

/** What became of the tick record, and what follows. */
export function describeBootstrap(done: Bootstrapped, { now, command }: TellingOf): string {
  switch (done.kind) {
    case 'put':
      return `The tick record is put, closed. Ticks adopt the turns that run and open the ledger in about six minutes; nothing starts before. \`${command('status')}\` shows when it is open.`;
    case 'closed':
      return done.since === undefined
        ? 'Nothing to do: the tick record is there, closed. No tick has seen it yet; once one has, the ledger is open about six minutes later.'
        : `Nothing to do: the tick record is there, closed. Ticks have waited for ${roughDuration(now - done.since)}, and open the ledger after about six minutes, once every turn that runs is known.`;
    case 'open':
      return `The ledger is there and open (${describeLastTick(done.lastTickAt, now)}): nothing was lost, and nothing was changed. If the table was restored from a backup: \`${command('bootstrap', '--restored')}\`.`;
  }
}

export function describeLastTick(at: Instant | undefined, now: Instant): string {
  return at === undefined ? 'no tick has ended yet' : `the last tick ended ${roughDuration(now - at)} ago`;
}

/** The result as JSON: times in ISO 8601. */
export function reportBootstrap(done: Bootstrapped): object {
  switch (done.kind) {
    case 'put':
      return { ledger: 'put', generation: done.generation };
    case 'closed':
      return { ledger: 'closed', generation: done.generation, since: toTime(done.since) };
    case 'open':
      return {
        ledger: 'open',
        generation: done.generation,
        epoch: done.epoch,
        lastTickAt: toTime(done.lastTickAt),
      };
  }
}

export function toTime(at: Instant | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}
