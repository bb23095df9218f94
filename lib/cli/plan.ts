import { resolve } from 'node:path';
import { colorsOf, writeText } from './cli-context.ts';
import { addCommand, type Cli, dataOption, run, workflowOption } from './command.ts';
import { formatJson } from './harmless-text.ts';
import { renderPlan } from './render-plan.ts';
import { type Target, withOperations } from './with-operations.ts';

/** `plan`: what the next tick would do. */
export function addPlan(cli: Cli): void {
  addCommand(cli, {
    name: 'plan',
    summary: 'what the next tick would do, writing nothing',
    description:
      'Prints what the next tick would do with every issue, and why. It changes no issue and nothing that is kept. Beside a running host it asks the host; without a data folder it plans over an empty ledger. With --workflow it is the dry run of a workflow file that is not deployed yet.',
    examples: ['evenkeel plan', 'evenkeel plan --workflow new/WORKFLOW.md --json'],
  })
    .addOption(workflowOption('plan with this file; repeat it for several boards'))
    .addOption(dataOption())
    .action(run(cli, (options) => plan(cli, options)));
}

async function plan({ context }: Cli, options: Target & { readonly json?: boolean }): Promise<0 | 1> {
  const files = (options.workflow ?? []).map((file) => resolve(context.cwd, file));
  const planWith = files.length > 0 ? files : undefined;
  const report = await withOperations(context, options, (operations) => operations.plan(), planWith);
  if (report.boards.length === 0) {
    throw new Error(
      'There is no board to plan: no WORKFLOW.md in this folder and no example in the data folder. Name a file with --workflow, or run `evenkeel start` once.',
    );
  }
  writeText(
    context.stdout,
    options.json ? formatJson(report) : renderPlan(report, colorsOf(context.stdout), context.now()),
  );
  return 0;
}
