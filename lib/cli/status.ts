import { colorsOf, writeText } from './cli-context.ts';
import { addCommand, type Cli, run } from './command.ts';
import { formatJson } from './harmless-text.ts';
import { renderStatus } from './render-status.ts';
import { addTargetOptions } from './target-options.ts';
import { type Target, withOperations } from './with-operations.ts';

/** `status`: what runs, waits, is tried again, is parked, is in review, and what it has cost. */
export function addStatus(cli: Cli): void {
  addTargetOptions(
    addCommand(cli, {
      name: 'status',
      summary: 'what runs, waits, is parked and is in review, with reasons',
      description:
        'Shows what runs, what waits and why, what is tried again and when, what is parked and how to resume it, how many issues are in review, and the cost of today.',
      examples: [
        'evenkeel status',
        'evenkeel status --data /srv/evenkeel --json',
        'evenkeel status --stack evenkeel',
      ],
    }),
  ).action(run(cli, (options) => status(cli, options)));
}

async function status({ context }: Cli, options: Target & { readonly json?: boolean }): Promise<0 | 1> {
  const { report, kind } = await withOperations(context, options, async (operations, kind) => ({
    report: await operations.status(),
    kind,
  }));
  writeText(
    context.stdout,
    options.json ? formatJson(report) : renderStatus(report, kind, colorsOf(context.stdout), context.now()),
  );
  return 0;
}
