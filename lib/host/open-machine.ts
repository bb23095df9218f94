import type { Reporter, TickTrigger } from '../controller/ports.ts';
import { boardNamer } from './board-names.ts';
import { type BoardOwner, boardOwner } from './board-owner.ts';
import { foldersOf } from './board-place.ts';
import { remoteLateWriteMs } from './connect-tracker.ts';
import { type Deployment, makeDeployment, readDeployment, writeDeployment } from './deployment-file.ts';
import { type EmbeddedStore, openEmbeddedStore } from './embedded-store.ts';
import type { ReadWorkflow } from './read-workflow.ts';
import { openNewLedger } from './run-tick.ts';
import { type BoardSource, type ServedBoards, servedBoards } from './served-boards.ts';
import { type MachinePorts, wirePorts } from './wire-ports.ts';

export interface MachineOptions {
  readonly dataDir: string;
  readonly workflows: readonly ReadWorkflow[];
  readonly intervalMs: number;
  readonly maxConcurrentAgents: number;
  readonly passEnvironment?: readonly string[] | undefined;
  readonly turnProgram?: string | undefined;
  readonly reporter: Reporter;
  readonly trigger: TickTrigger;
  readonly onChange?: BoardSource['onChange'];
  /** False for a command that only asks or does one thing: which files are served is not its to say. */
  readonly isServing: boolean;
}

/** One data folder, held by this process, and everything wired to it. */
export interface Machine {
  readonly store: EmbeddedStore;
  readonly boards: ServedBoards;
  /** Marks the folders of the boards; held from the start where the machine serves them. */
  readonly owner: BoardOwner;
  readonly ports: MachinePorts;
  /** The same ports over other workflow files, to plan a policy that is not served yet. */
  readonly portsWith: (workflows: readonly ReadWorkflow[]) => Promise<MachinePorts>;
}

/** Takes the data folder and makes in it what is missing. Throws a `DataFolderError` or a `BoardOwnedError`. */
export async function openMachine(options: MachineOptions): Promise<Machine> {
  const { dataDir, workflows } = options;
  const store = await openEmbeddedStore(dataDir);
  let owner: BoardOwner | undefined;
  try {
    const known = await readDeployment(dataDir);
    let deployment = known ?? (await newDeployment(dataDir));
    const keep = async (changed: Partial<Deployment>) => {
      deployment = { ...deployment, ...changed };
      await writeDeployment(dataDir, deployment);
    };
    owner = boardOwner({ deployment: deployment.deployment, dataDir });
    const { onChange } = options;
    const nameOf = boardNamer(deployment.boards, (names) => keep({ boards: names }));
    if (options.isServing) await owner.take(foldersOf(workflows));
    const boards = await servedBoards(workflows, {
      nameOf,
      ...(onChange && { onChange }),
      ...(options.isServing && { checkOwner: owner.check }),
    });
    if (options.isServing) await keep({ workflows: workflows.map(({ file }) => file) });
    const ports = await wirePorts({
      ...options,
      reopenAfterMs: known === undefined ? 0 : reopenAfterMs(workflows),
      deployment,
      ledger: store.ledger,
      boards: boards.boards,
    });
    if (known === undefined) await openNewLedger(ports);
    return {
      store,
      boards,
      owner,
      ports,
      portsWith: async (others) => {
        const candidates = await servedBoards(others, { nameOf: boardNamer(deployment.boards) });
        return { ...ports, boards: candidates.boards };
      },
    };
  } catch (error) {
    await owner?.release();
    await store.close();
    throw error;
  }
}

async function newDeployment(dataDir: string): Promise<Deployment> {
  const made = makeDeployment();
  await writeDeployment(dataDir, made);
  return made;
}

/** The lock proves every former invocation dead; what it has sent to a tracker elsewhere may land after its death. */
function reopenAfterMs(workflows: readonly ReadWorkflow[]): number {
  return foldersOf(workflows).length === workflows.length ? 0 : remoteLateWriteMs;
}
