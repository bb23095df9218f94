import { harmlessLine } from './harmless-text.ts';
import { describeLastTick, type TellingOf, toTime } from './render-bootstrap.ts';
import type { FoundLedger, Renewed } from './stack/renew-ledger.ts';

/** What became of a table that was restored from a backup. */
export type Renewal = Renewed & {
  readonly table: string;
  /** The table that the deployment uses. */
  readonly own: string;
};

/** What renewing its generation does, or did, and what follows. */
export function describeRenewal(done: Renewal, { now, command }: TellingOf): string {
  const table = harmlessLine(done.table);
  switch (done.kind) {
    case 'missing':
      return `The table ${table} has no tick record: it is no backup of a ledger. \`${command('bootstrap', '--table', table)}\` makes it a new one.`;
    case 'overtaken':
      return `The tick record of ${table} was changed by somebody else at the same moment, and nothing was changed here. Ask again.`;
    case 'kept':
      return [
        `The table ${table} holds a ledger with ${describeFound(done.found)}; ${describeLastTick(done.found.lastTickAt, now)}.`,
        'Nothing is changed without --yes. With it the ledger is closed under a new generation, and then:',
        ...whatFollows(done).map((line) => `  - ${line}`),
        `Do it to a table that was restored from a backup, before the deployment uses it, and to no other.`,
      ].join('\n');
    case 'renewed':
      return [
        `The ledger in ${table} is closed, under a new generation. What follows:`,
        ...whatFollows(done).map((line) => `  - ${line}`),
        `\`${command('status')}\` shows when it is open.`,
      ].join('\n');
  }
}

function describeFound({ held, parked, isOpen }: FoundLedger): string {
  const turns = held === 1 ? '1 turn' : `${held} turns`;
  const issues = parked === 1 ? '1 parked issue' : `${parked} parked issues`;
  return `${turns} at work and ${issues}${isOpen ? '' : ', closed'}`;
}

function whatFollows({ table, own }: Renewal): readonly string[] {
  const uses =
    table === own
      ? 'It is the table that the deployment uses: its next ticks do the rest.'
      : `The deployment uses ${harmlessLine(own)}, until it is deployed again with \`-c table=${harmlessLine(table)}\`.`;
  return [
    uses,
    'Turns that run are told to wait, are adopted by the next ticks and go on; none is doubled. Nothing starts until ticks open the ledger, after about six minutes.',
    'Tries, backoff and parks begin anew: an issue that was parked in an active column starts again. History, spend and pauses are those of the backup.',
  ];
}

/** The result as JSON: times in ISO 8601. */
export function reportRenewal(done: Renewal): object {
  const { table } = done;
  switch (done.kind) {
    case 'missing':
      return { ledger: 'missing', table };
    case 'overtaken':
      return { ledger: 'overtaken', table, generation: done.generation };
    case 'kept':
      return { ledger: 'kept', table, ...reportFound(done.found) };
    case 'renewed':
      return {
        ledger: 'renewed',
        table,
        generation: done.generation,
        former: reportFound(done.found),
      };
  }
}

function reportFound({ generation, isOpen, lastTickAt, held, parked }: FoundLedger): object {
  return { generation, open: isOpen, lastTickAt: toTime(lastTickAt), running: held, parked };
}
