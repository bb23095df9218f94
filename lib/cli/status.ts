import { findKeptWork } from '../host/find-kept-work.ts';
import { describeAlarms, reportAlarms } from './alarm-text.ts';
import { colorsOf, writeText } from './cli-context.ts';
import { addCommand, type Cli, run } from './command.ts';
import { commandsFor } from './commands-for.ts';
import { formatJson } from './harmless-text.ts';
import { describeKeptWork } from './kept-work.ts';
import { renderStatus } from './render-status.ts';
import { addTargetOptions } from './target-options.ts';
import { dataDirOf, type Target, withOperations } from './with-operations.ts';

/** `status`: what runs, waits, is tried again, is parked, is in review, and what it has cost. */
export function addStatus(cli: Cli): void {
  addTargetOptions(
    addCommand(cli, {
      name: 'status',
      summary: 'what runs, waits, is parked and is in review, with reasons',
      description:
        'Shows what runs, what waits and why, what is tried again and when, what is parked and how to resume it, how many issues are in review, the cost of today, work that is only on this disk, and of a deployment in AWS the alarms that are raised.',
      examples: [
        'evenkeel status',
        'evenkeel status --data /srv/evenkeel --json',
        'evenkeel status --stack evenkeel',
      ],
    }),
  ).action(run(cli, (options) => status(cli, options)));
}

async function status({ context }: Cli, options: Target & { readonly json?: boolean }): Promise<0 | 1> {
  const { report, kind, alarms } = await withOperations(context, options, async (operations, kind) => ({
    report: await operations.status(),
    kind,
    alarms: await operations.alarms?.(),
  }));
  const running = report.running.map(({ turnId }) => turnId);
  const kept = kind === 'stack' ? undefined : await findKeptWork(dataDirOf(context.cwd, options), running);
  const colors = colorsOf(context.stdout);
  const command = commandsFor(options, context.env);
  const text = options.json
    ? formatJson({
        ...report,
        ...(kept && { keptWork: kept }),
        ...(kind === 'stack' && { alarms: reportAlarms(alarms) }),
      })
    : [
        renderStatus(report, { source: kind, colors, now: context.now(), command }),
        ...describeAlarms(alarms ?? [], context.now()).map(colors.red),
        ...(kept ? describeKeptWork(kept, command) : []).map(colors.yellow),
      ].join('\n');
  writeText(context.stdout, text);
  return 0;
}
