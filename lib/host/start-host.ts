import type { Host, HostOptions } from './host.ts';

/**
 * Serves one machine until it is stopped: the handlers that run on AWS, on an embedded store, a timer, a loopback server
 * and local processes. Throws a `DataFolderError` when the folder is in use or unusable and a `WorkflowError` when a
 * workflow file is broken; nothing has been made then.
 */
export async function startHost(_options: HostOptions): Promise<Host> {
  throw new Error('not built yet');
}
