import { type CliContext, writeText } from './cli-context.ts';
import { addCommand, type Cli, type ExitCode, run } from './command.ts';
import { commandsFor } from './commands-for.ts';
import { formatJson } from './harmless-text.ts';
import { describeBootstrap, reportBootstrap } from './render-bootstrap.ts';
import { describeRenewal, reportRenewal } from './render-renewal.ts';
import { addStackOptions } from './target-options.ts';

interface BootstrapOptions {
  readonly stack: string;
  readonly region?: string;
  readonly profile?: string;
  readonly table?: string;
  readonly restored?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** `bootstrap`: a ledger again, after its table was lost or restored from a backup. */
export function addBootstrap(cli: Cli): void {
  const command = addStackOptions(
    addCommand(cli, {
      name: 'bootstrap',
      summary: 'give a deployment in AWS a ledger again, after its table was lost or restored',
      description:
        'Puts the tick record of a deployment in AWS on a table that has none: closed, under a new generation. The next ticks give the turns that run their leases back and open the ledger once nothing of the lost one can be on its way, after about six minutes. A record that is there is never changed, but by --restored --yes: that closes the record of a restored backup under a new generation, because what it says of running turns is old.',
      examples: [
        'evenkeel bootstrap --stack evenkeel',
        'evenkeel bootstrap --stack evenkeel --restored --table ledger-restored',
        'evenkeel bootstrap --stack evenkeel --restored --table ledger-restored --yes',
      ],
    })
      .requiredOption('--stack <name>', 'the stack that holds the deployment')
      .option('--table <name>', 'another table than the one that the deployment uses')
      .option('--restored', 'the table was restored from a backup: say what renewing its generation would do')
      .option('--yes', 'with --restored: do it'),
  );
  command.hook('preAction', (_, asked) => {
    const { restored, yes } = asked.opts<BootstrapOptions>();
    if (yes && !restored) asked.error('error: --yes is for --restored', { exitCode: 2 });
  });
  command.action(run(cli, (options) => (options.restored ? renew(cli, options) : bootstrap(cli, options))));
}

async function bootstrap({ context }: Cli, options: BootstrapOptions): Promise<ExitCode> {
  const [{ withStack }, { bootstrapLedger }] = await Promise.all([
    import('./stack/open-stack.ts'),
    import('./stack/bootstrap-ledger.ts'),
  ]);
  const done = await withStack(options, context, ({ ledger }) => bootstrapLedger(ledger));
  const text = describeBootstrap(done, { now: context.now(), command: commandsFor(options) });
  return tell(context, options, { isRefused: done.kind === 'open', text, report: reportBootstrap(done) });
}

async function renew({ context }: Cli, options: BootstrapOptions): Promise<ExitCode> {
  const [{ withStack }, { renewLedger }] = await Promise.all([
    import('./stack/open-stack.ts'),
    import('./stack/renew-ledger.ts'),
  ]);
  const done = await withStack(options, context, async ({ ledger, deployment }) => {
    const own = deployment.TableName;
    const renewed = await renewLedger(ledger, { isConfirmed: options.yes === true });
    return { ...renewed, table: options.table ?? own, own };
  });
  const isRefused = done.kind === 'missing' || done.kind === 'overtaken';
  const text = describeRenewal(done, { now: context.now(), command: commandsFor(options) });
  return tell(context, options, { isRefused, text, report: reportRenewal(done) });
}

interface Told {
  readonly isRefused: boolean;
  readonly text: string;
  readonly report: object;
}

/** A refusal is no result: its text is a complaint, also beside JSON. */
function tell(
  { stdout, stderr }: CliContext,
  { json }: BootstrapOptions,
  { isRefused, text, report }: Told,
): ExitCode {
  if (json) writeText(stdout, formatJson(report));
  if (isRefused) writeText(stderr, `evenkeel: ${text}`);
  else if (!json) writeText(stdout, text);
  return isRefused ? 1 : 0;
}
