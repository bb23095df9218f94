import { spawn } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { turnBootstrap } from '../../../lib/stack/turn-bootstrap.ts';
import type { EcsTask } from '../ecs/ecs-task.ts';
import type { Container } from '../ecs/ecs-world.ts';
import { freeUid, mayChangeUsers } from '../free-uid.ts';

export interface ContainerHost {
  /** Starts the container of a task: the command of the task definition, with what the definition and the override tell it. */
  run(task: EcsTask, variables: Readonly<Record<string, string>>): Container;
  /** What all containers printed. */
  printed(): string;
  stop(): Promise<void>;
}

export interface ContainerHostOptions {
  /** Of the task definition. */
  readonly environment: () => Readonly<Record<string, string>>;
  /** Where containers keep their files. */
  readonly folder: string;
}

/** Runs containers as processes, and tells each of them which task it is, as the platform does. */
export async function startContainerHost(options: ContainerHostOptions): Promise<ContainerHost> {
  const arns = new Map<string, string>();
  const living = new Set<ReturnType<typeof spawn>>();
  let printed = '';
  // Agents are other users, and leave their traces there; as in `/tmp`, they may not move what others have there.
  chmodSync(options.folder, 0o1777);
  const metadata = createServer((request, response) => {
    const arn = arns.get(request.url?.split('/')[1] ?? '');
    response.writeHead(arn === undefined ? 404 : 200).end(JSON.stringify({ TaskARN: arn }));
  });
  await new Promise<void>((resolve) => metadata.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(metadata.address() as AddressInfo).port}`;

  return {
    run({ arn }, variables) {
      const id = arn.replace(/^.*\//, '');
      arns.set(id, arn);
      const child = spawn(process.execPath, ['-e', turnBootstrap], {
        env: {
          PATH: process.env.PATH,
          HOME: options.folder,
          TMPDIR: options.folder,
          ECS_CONTAINER_METADATA_URI_V4: `${address}/${id}`,
          ...options.environment(),
          // Here all containers see each other's processes, so that each needs a user of its own.
          ...(mayChangeUsers && { EVENKEEL_AGENT_UID: String(freeUid()) }),
          ...variables,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      living.add(child);
      for (const output of [child.stdout, child.stderr])
        output.on('data', (chunk: Buffer) => {
          printed += chunk.toString('utf8');
        });
      const exited = new Promise<number>((resolve) => {
        child.on('exit', (code, signal) => {
          living.delete(child);
          resolve(code ?? (signal === 'SIGKILL' ? 137 : 143));
        });
      });
      return { exited, stop: () => void child.kill('SIGTERM') };
    },
    printed: () => printed,
    stop: async () => {
      for (const child of living) child.kill('SIGKILL');
      metadata.closeAllConnections();
      await new Promise((resolve) => metadata.close(resolve));
    },
  };
}
