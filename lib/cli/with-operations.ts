import { resolve } from 'node:path';
import type { AlarmState } from '../adapters/cloudwatch/alarm-states.ts';
import type { Operations } from '../controller/operations.ts';
import { type Connection, connectOperations } from '../host/connect-operations.ts';
import { findWorkflows } from '../host/find-workflows.ts';
import type { CliContext } from './cli-context.ts';
import { commandsFor, withCommands } from './commands-for.ts';

/** The options by which a command finds the deployment that it is about: a data folder, or a stack in AWS. */
export interface Target {
  readonly data: string;
  readonly workflow?: readonly string[];
  readonly stack?: string | undefined;
  readonly region?: string | undefined;
  readonly profile?: string | undefined;
}

/** Who answered: a deployment in AWS, or what there is of one on this machine. */
export type Source = Connection['kind'] | 'stack';

export type Asked = Operations & {
  /** How the alarms stand, where there are any: in AWS. Undefined where that is not known now, which is told beside it. */
  readonly alarms?: () => Promise<readonly AlarmState[] | undefined>;
};

/**
 * Asks the stack where one is named; else the running host, else the store of the data folder, and lets go of it again:
 * while the store is held, no host can start. With `planWith` a plan is made with the named workflow files instead of the
 * deployed ones. Remedies in what is answered can be copied.
 */
export async function withOperations<Result>(
  context: CliContext,
  target: Target,
  act: (operations: Asked, source: Source) => Promise<Result>,
  planWith?: readonly string[],
): Promise<Result> {
  const { stack } = target;
  const copyable = (operations: Asked) => withCopyableRemedies(operations, context, target);
  if (stack !== undefined) {
    // Whoever asks nothing of AWS does not wait for what speaks to it.
    const { withStackOperations } = await import('./stack/connect-stack.ts');
    return withStackOperations(
      context,
      { ...target, stack },
      (operations) => act(copyable(operations), 'stack'),
      planWith,
    );
  }
  const { cwd } = context;
  const dataDir = dataDirOf(cwd, target);
  const { files } = await findWorkflows({ given: target.workflow ?? [], cwd, dataDir, orServedLast: true });
  const connection = await connectOperations({ dataDir, workflowFiles: files, planWith });
  try {
    return await act(copyable(connection.operations), connection.kind);
  } finally {
    await connection.close();
  }
}

function withCopyableRemedies(operations: Asked, { env }: CliContext, target: Target): Asked {
  const command = commandsFor(target, env);
  return {
    ...operations,
    status: async () => withCommands(await operations.status(), command),
    plan: async () => withCommands(await operations.plan(), command),
    explain: async (...asked) => withCommands(await operations.explain(...asked), command),
    tick: async () => withCommands(await operations.tick(), command),
  };
}

/** Absolute, so that it means the same to a host that runs in another folder. */
export function dataDirOf(cwd: string, { data }: Target): string {
  return resolve(cwd, data);
}
