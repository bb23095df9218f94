import { randomBytes } from 'node:crypto';
import { portsOperations } from '../controller/ports-operations.ts';
import type { TickReport } from '../controller/reconcile.ts';
import type { Cleanup } from './cleanup.ts';
import { keepHostFile } from './host-file.ts';
import { hostRoutes } from './host-routes.ts';
import { httpServer } from './http-server.ts';
import type { Machine } from './open-machine.ts';
import { programVersion } from './program-version.ts';
import { readWorkflows } from './served-boards.ts';

export interface Listening {
  readonly machine: Machine;
  readonly dataDir: string;
  readonly port: number;
  readonly tick: () => Promise<TickReport>;
  readonly onProblem: (message: string) => void;
  readonly cleanup: Cleanup;
}

/** Opens the loopback server and says in `host.json` where it is. Answers its address. */
export async function listen({
  machine,
  dataDir,
  port,
  tick,
  onProblem,
  cleanup,
}: Listening): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  const routes = hostRoutes(machine.ports, {
    token,
    operations: portsOperations(machine.ports, tick),
    operationsWith: async (files) =>
      portsOperations(await machine.portsWith(await readWorkflows(files)), tick),
  });
  const server = await httpServer(port, routes, onProblem);
  cleanup.add(server.close);
  const startedAt = new Date(machine.ports.clock.now()).toISOString();
  const file = { pid: process.pid, url: server.url, token, startedAt, version: programVersion };
  cleanup.add(await keepHostFile(dataDir, file));
  return server.url;
}
