import { relative, resolve } from 'node:path';
import type { PlanReport } from '../controller/operations.ts';
import { WorkflowError } from '../host/workflow-error.ts';
import { type CliContext, colorsOf, writeText } from './cli-context.ts';
import { addCommand, type Cli, run } from './command.ts';
import { formatJson } from './harmless-text.ts';
import { renderPlan } from './render-plan.ts';
import { addTargetOptions } from './target-options.ts';
import { type Target, withOperations } from './with-operations.ts';

/** `plan`: what the next tick would do. */
export function addPlan(cli: Cli): void {
  addTargetOptions(
    addCommand(cli, {
      name: 'plan',
      summary: 'what the next tick would do, writing nothing',
      description:
        'Prints what the next tick would do with every issue, and why. It changes no issue and nothing that is kept. Beside a running host it asks the host; without a data folder it plans over an empty ledger. With --workflow it is the dry run of a workflow file that is not deployed yet, with --stack as well.',
      examples: [
        'evenkeel plan',
        'evenkeel plan --workflow new/WORKFLOW.md --json',
        'evenkeel plan --stack evenkeel --workflow WORKFLOW.md',
      ],
    }),
    { workflow: 'plan with this file; repeat it for several boards', takesCandidates: true },
  ).action(run(cli, (options) => plan(cli, options)));
}

async function plan({ context }: Cli, options: Target & { readonly json?: boolean }): Promise<0 | 1> {
  const { report, isBroken } = await makePlan(context, options);
  if (report.boards.length === 0) {
    throw new Error(
      'There is no board to plan: no WORKFLOW.md in this folder and no example in the data folder. Name a file with --workflow, or run `evenkeel start` once.',
    );
  }
  writeText(
    context.stdout,
    options.json ? formatJson(report) : renderPlan(report, colorsOf(context.stdout), context.now()),
  );
  return isBroken ? 1 : 0;
}

async function makePlan(
  context: CliContext,
  options: Target,
): Promise<{ readonly report: PlanReport; readonly isBroken: boolean }> {
  const files = (options.workflow ?? []).map((file) => resolve(context.cwd, file));
  const planWith = files.length > 0 ? files : undefined;
  try {
    const report = await withOperations(context, options, (operations) => operations.plan(), planWith);
    return { report, isBroken: false };
  } catch (error) {
    if (!(error instanceof WorkflowError)) throw error;
    return { report: reportBroken(error, context.cwd), isBroken: true };
  }
}

/** What is wrong with files that no board can be served by, in the form of a plan: nothing is decided. */
function reportBroken({ files }: WorkflowError, cwd: string): PlanReport {
  const boards = files.map(({ file, problems }) => ({
    board: relative(cwd, file) || file,
    contract: { valid: false, problems },
    decisions: [],
  }));
  return { boards };
}
