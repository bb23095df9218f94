import { colorsOf, writeText } from './cli-context.ts';
import { addCommand, type Cli, run } from './command.ts';
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
  const { alsoOn, ...report } = await withOperations(context, options, (operations) =>
    operations.explain(key, options.board),
  );
  if (alsoOn.length > 0 && options.board === undefined) {
    const others = harmlessLine(alsoOn.join(', '));
    writeText(
      context.stderr,
      `evenkeel: ${harmlessLine(key)} is also on ${others}; this is the one on ${harmlessLine(report.board ?? '')}. --board NAME chooses.`,
    );
  }
  const isKnown = report.board !== null || report.decisions.length > 0 || report.lastTurn !== null;
  if (options.json) writeText(context.stdout, formatJson(report));
  else if (isKnown) writeText(context.stdout, renderExplain(report, colorsOf(context.stdout), context.now()));
  if (isKnown) return 0;
  throw new Error(
    `${options.board === undefined ? 'No board' : `No board called ${harmlessLine(options.board)}`} has an issue called ${harmlessLine(key)}. \`evenkeel plan\` lists the issues in active states.`,
  );
}
