import { writeText } from './cli-context.ts';
import { addCommand, type Cli, type ExitCode, run } from './command.ts';
import { formatJson } from './harmless-text.ts';
import type { Bootstrapped } from './stack/bootstrap-ledger.ts';
import { addStackOptions } from './target-options.ts';
import { roughDuration } from './time-text.ts';

interface BootstrapOptions {
  readonly stack: string;
  readonly region?: string;
  readonly profile?: string;
  readonly json?: boolean;
}

/** `bootstrap`: a ledger again, after its table was lost. */
export function addBootstrap(cli: Cli): void {
  addStackOptions(
    addCommand(cli, {
      name: 'bootstrap',
      summary: 'give a deployment in AWS a ledger again, after its table was lost',
      description:
        'Puts the tick record of a deployment in AWS on a table that has none: closed, under a new generation. The next ticks give the turns that run their leases back and open the ledger once nothing of the lost one can be on its way, after about six minutes. A record that is there is never changed.',
      examples: ['evenkeel bootstrap --stack evenkeel'],
    }).requiredOption('--stack <name>', 'the stack that holds the deployment'),
  ).action(run(cli, (options) => bootstrap(cli, options)));
}

async function bootstrap({ context }: Cli, options: BootstrapOptions): Promise<ExitCode> {
  const [{ withStack }, { bootstrapLedger }] = await Promise.all([
    import('./stack/open-stack.ts'),
    import('./stack/bootstrap-ledger.ts'),
  ]);
  const done = await withStack(options, context, ({ ledger }) => bootstrapLedger(ledger));
  if (options.json) writeText(context.stdout, formatJson(toReport(done)));
  const isRefused = done.kind === 'open';
  if (isRefused) writeText(context.stderr, `evenkeel: ${describe(done, context.now())}`);
  else if (!options.json) writeText(context.stdout, describe(done, context.now()));
  return isRefused ? 1 : 0;
}

function describe(done: Bootstrapped, now: number): string {
  switch (done.kind) {
    case 'put':
      return 'The tick record is put, closed. Ticks adopt the turns that run and open the ledger in about six minutes; nothing starts before. `evenkeel status` shows when it is open.';
    case 'closed':
      return done.since === undefined
        ? 'Nothing to do: the tick record is there, closed. No tick has seen it yet; once one has, the ledger is open about six minutes later.'
        : `Nothing to do: the tick record is there, closed. Ticks have waited for ${roughDuration(now - done.since)}, and open the ledger after about six minutes, once every turn that runs is known.`;
    case 'open': {
      const last =
        done.lastTickAt === undefined
          ? 'no tick has ended yet'
          : `the last tick ended ${roughDuration(now - done.lastTickAt)} ago`;
      return `The ledger is there and open (${last}): nothing was lost, and nothing was changed.`;
    }
  }
}

/** The result as JSON: times in ISO 8601. */
function toReport(done: Bootstrapped): object {
  const toTime = (at: number | undefined) => (at === undefined ? null : new Date(at).toISOString());
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
