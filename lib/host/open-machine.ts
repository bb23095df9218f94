import type { Reporter, TickTrigger } from '../controller/ports.ts';
import { nameBoard } from './board-names.ts';
import { makeDeployment, readDeployment, writeDeployment } from './deployment-file.ts';
import { type EmbeddedStore, openEmbeddedStore } from './embedded-store.ts';
import type { ReadWorkflow } from './read-workflow.ts';
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
}

/** One data folder, held by this process, and everything wired to it. */
export interface Machine {
  readonly store: EmbeddedStore;
  readonly boards: ServedBoards;
  readonly ports: MachinePorts;
  /** The same ports over other workflow files, to plan a policy that is not served yet. */
  readonly portsWith: (workflows: readonly ReadWorkflow[]) => Promise<MachinePorts>;
}

/** Takes the data folder and makes in it what is missing. Throws a `DataFolderError`. */
export async function openMachine(options: MachineOptions): Promise<Machine> {
  const { dataDir, workflows } = options;
  const store = await openEmbeddedStore(dataDir);
  try {
    let deployment = (await readDeployment(dataDir)) ?? makeDeployment();
    const nameOf = async (folder: string) => {
      const name = nameBoard(deployment.boards, folder);
      if (deployment.boards[folder] !== name) {
        deployment = { ...deployment, boards: { ...deployment.boards, [folder]: name } };
        await writeDeployment(dataDir, deployment);
      }
      return name;
    };
    const { onChange } = options;
    const boards = await servedBoards(workflows, { nameOf, ...(onChange && { onChange }) });
    deployment = { ...deployment, workflows: workflows.map(({ file }) => file) };
    await writeDeployment(dataDir, deployment);
    const ports = await wirePorts({ ...options, deployment, ledger: store.ledger, boards: boards.boards });
    return {
      store,
      boards,
      ports,
      portsWith: async (others) => {
        const names = async (folder: string) => nameBoard(deployment.boards, folder);
        return { ...ports, boards: (await servedBoards(others, { nameOf: names })).boards };
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}
