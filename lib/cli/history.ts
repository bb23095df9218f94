import { colorsOf, writeText } from './cli-context.ts';
import { addCommand, type Cli, run } from './command.ts';
import { formatJson, harmlessLine } from './harmless-text.ts';
import { renderHistory } from './render-history.ts';
import { addTargetOptions } from './target-options.ts';
import { type Target, withOperations } from './with-operations.ts';

/** `history [KEY]`: every turn that has ended, oldest first. */
export function addHistory(cli: Cli): void {
  addTargetOptions(
    addCommand(cli, {
      name: 'history',
      summary: 'the turns that have ended, of one issue or of all',
      description:
        'Lists the turns that have ended, oldest first: what came of each and why, its branch, its gates and its cost. --json adds every change of phase with its time, actor, reason and evidence.',
      examples: ['evenkeel history', 'evenkeel history DEMO-1 --json'],
    }).argument('[key]', 'the key of one issue'),
  ).action(run(cli, (key: string | undefined, options) => history(cli, key, options)));
}

async function history(
  { context }: Cli,
  key: string | undefined,
  options: Target & { readonly json?: boolean },
): Promise<0 | 1> {
  const turns = await withOperations(context, options, (operations) => operations.history(key));
  if (options.json) writeText(context.stdout, formatJson(turns));
  else if (turns.length > 0) writeText(context.stdout, renderHistory(turns, colorsOf(context.stdout)));
  else
    writeText(
      context.stderr,
      key === undefined ? 'No turn has ended yet.' : `No turn of ${harmlessLine(key)} has ended yet.`,
    );
  return 0;
}
