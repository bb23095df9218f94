import type { Operations } from '../controller/operations.ts';

export interface ConnectOptions {
  readonly dataDir: string;
  /** The boards, where no host is running that knows them. */
  readonly workflowFiles: readonly string[];
  /** Plan with these files instead of those that a running host serves. */
  readonly planWith?: readonly string[] | undefined;
  readonly maxConcurrentAgents?: number | undefined;
}

export interface Connection {
  readonly operations: Operations;
  /** A running host, the store of the data folder, or an empty ledger because there is no data folder. */
  readonly kind: 'host' | 'store' | 'empty';
  close(): Promise<void>;
}

/**
 * The operations of a data folder: asked of the running host, else over its store under the lock, else over an empty
 * ledger. Throws a `DataFolderError` or a `WorkflowError`.
 */
export async function connectOperations(_options: ConnectOptions): Promise<Connection> {
  throw new Error('not built yet');
}
