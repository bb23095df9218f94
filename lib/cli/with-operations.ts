import { resolve } from 'node:path';
import type { Operations } from '../controller/operations.ts';
import { type Connection, connectOperations } from '../host/connect-operations.ts';
import { findWorkflows } from '../host/find-workflows.ts';
import type { CliContext } from './cli-context.ts';

/** The options by which a command finds the deployment that it is about. */
export interface Target {
  readonly data: string;
  readonly workflow?: readonly string[];
}

/**
 * Asks the running host, else the store of the data folder, and lets go of it again: while the store is held, no host can
 * start. With `planWith` a plan is made with the named workflow files instead of the deployed ones.
 */
export async function withOperations<Result>(
  { cwd }: CliContext,
  target: Target,
  act: (operations: Operations, kind: Connection['kind']) => Promise<Result>,
  planWith?: readonly string[],
): Promise<Result> {
  const dataDir = dataDirOf(cwd, target);
  const { files } = await findWorkflows({ given: target.workflow ?? [], cwd, dataDir, orServedLast: true });
  const connection = await connectOperations({ dataDir, workflowFiles: files, planWith });
  try {
    return await act(connection.operations, connection.kind);
  } finally {
    await connection.close();
  }
}

/** Absolute, so that it means the same to a host that runs in another folder. */
export function dataDirOf(cwd: string, { data }: Target): string {
  return resolve(cwd, data);
}
