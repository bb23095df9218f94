import type { ExplainReport, Operations } from '../controller/operations.ts';
import { isUnread } from '../core/contract.ts';
import { colorsOf, writeText } from './cli-context.ts';
import { addCommand, type Cli, run } from './command.ts';
import { commandsFor } from './commands-for.ts';
import { formatJson, harmlessLine } from './harmless-text.ts';
import { renderExplain } from './render-explain.ts';
import { addTargetOptions } from './target-options.ts';
import { type Target, withOperations } from './with-operations.ts';

/** `explain KEY`: why an issue runs, waits, is parked or is ignored. */
export function addExplain(cli: Cli): void {
  addTargetOptions(
    addCommand(cli, {
      name: 'explain',
      summary: 'why one issue runs, waits, is parked or is ignored',
      description:
        'Says why one issue runs, waits, is parked or is ignored: what it waits for, until when, and what to do to resume it.',
      examples: ['evenkeel explain DEMO-1', 'evenkeel explain DEMO-1 --json'],
    })
      .argument('<key>', 'the key of the issue, as on the board')
      .option('--board <name>', 'the board, where several have an issue of this key'),
  ).action(run(cli, (key: string, options) => explain(cli, key, options)));
}

async function explain(
  { context }: Cli,
  key: string,
  options: Target & { readonly json?: boolean; readonly board?: string },
): Promise<0 | 1> {
  const { alsoOn, meant, unread, ...report } = await withOperations(context, options, async (operations) => {
    const found = await operations.explain(key, options.board);
    const near = isKnown(found) ? undefined : await lookAround(operations, key, options.board);
    return { ...found, meant: near?.meant, unread: near?.unread };
  });
  if (alsoOn.length > 0 && options.board === undefined) {
    const others = harmlessLine(alsoOn.join(', '));
    writeText(
      context.stderr,
      `evenkeel: ${harmlessLine(key)} is also on ${others}; this is the one on ${harmlessLine(report.board ?? '')}. --board NAME chooses.`,
    );
  }
  if (options.json) writeText(context.stdout, formatJson(report));
  else if (isKnown(report))
    writeText(context.stdout, renderExplain(report, colorsOf(context.stdout), context.now()));
  if (isKnown(report)) return 0;
  const nobody = options.board === undefined ? 'No board' : `No board called ${harmlessLine(options.board)}`;
  if (unread !== undefined)
    throw new Error(
      `Whether there is an issue called ${harmlessLine(key)} is not known: board ${harmlessLine(unread)}`,
    );
  const called = `${nobody} has an issue called ${harmlessLine(key)}`;
  if (meant !== undefined) throw new Error(`${called}. Did you mean ${harmlessLine(meant)}?`);
  // Where keys are no ids, as at GitHub, one that no tick has read is not found by its key.
  throw new Error(
    `${called} in an active state, or one that had a turn here; for any other nothing is due. \`${commandsFor(options, context.env)('plan')}\` lists the issues in active states.`,
  );
}

function isKnown({ board, decisions, lastTurn }: ExplainReport): boolean {
  return board !== null || decisions.length > 0 || lastTurn !== null;
}

/**
 * Of an issue that nobody knows: a board that could not be read, and so may have it, with the cause; else an issue whose key
 * is the same but for its case. Other keys that are near are other issues: nobody who asks for DEMO-13 means DEMO-3.
 */
async function lookAround(
  operations: Operations,
  key: string,
  board: string | undefined,
): Promise<{ readonly meant?: string; readonly unread?: string }> {
  const boards = (await operations.plan()).boards.filter((one) => board === undefined || one.board === board);
  const silent = boards.find(({ contract }) => isUnread(contract.problems));
  if (silent !== undefined) return { unread: `${silent.board}: ${silent.contract.problems[0]!.message}` };
  const keys = boards.flatMap(({ decisions }) => decisions.map((decision) => decision.key));
  const planned = keys.find((one) => one.toLowerCase() === key.toLowerCase());
  if (planned !== undefined) return { meant: planned };
  // A plan has no issues of other columns.
  const upper = key.toUpperCase();
  const isIt = upper !== key && isKnown(await operations.explain(upper, board));
  return isIt ? { meant: upper } : {};
}
