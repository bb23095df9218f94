import type { Operations } from '../controller/operations.ts';
import type { HostEnd, HostListener } from './host-event.ts';

export interface HostOptions {
  /** Holds everything that is kept. Made when it is missing. */
  readonly dataDir: string;
  /** One board each; read anew at every tick. */
  readonly workflowFiles: readonly string[];
  /** Between two scheduled ticks; 5 s unless given. */
  readonly intervalMs?: number | undefined;
  /** Of the loopback server; any free one unless given. */
  readonly port?: number | undefined;
  /** Turns at once over all boards; 4 unless given. */
  readonly maxConcurrentAgents?: number | undefined;
  /** Ends by itself once nothing is left to do that does not wait for a person. */
  readonly untilIdle?: boolean | undefined;
  readonly onEvent?: HostListener | undefined;
  /** Gets every fact as one line of JSON, without the line's end. The trace file is written anyway. */
  readonly onTraceLine?: ((line: string) => void) | undefined;
  /** Names of environment variables that pass to agents, such as the key of a model. */
  readonly passEnvironment?: readonly string[] | undefined;
  /** The bundled turn program; `turn.js` beside the running bundle unless given. */
  readonly turnProgram?: string | undefined;
}

export interface Host {
  /** The loopback address. */
  readonly url: string;
  readonly operations: Operations;
  /**
   * Begins a clean end: nothing starts any more, each live turn is asked to stop, and their ends are settled for up to
   * 20 seconds. Repeating it is harmless; who does not want to wait ends the process, and turns live on and are adopted.
   */
  stop(): void;
  /** Resolves when everything is closed; never rejects. */
  readonly ended: Promise<HostEnd>;
}

/**
 * Serves one machine until it is stopped: the handlers that run on AWS, on an embedded store, a timer, a loopback server
 * and local processes. Throws a `DataFolderError` when the folder is in use or unusable and a `WorkflowError` when a
 * workflow file is broken; nothing has been made then.
 */
export async function startHost(_options: HostOptions): Promise<Host> {
  throw new Error('not built yet');
}
