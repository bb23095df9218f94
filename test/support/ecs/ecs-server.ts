import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ecsCalls } from './ecs-calls.ts';
import { EcsFault } from './ecs-fault.ts';
import { type EcsWorld, type EcsWorldOptions, ecsWorld } from './ecs-world.ts';
import { type RunTaskDesk, runTaskDesk } from './run-task-desk.ts';

export type EcsCall = keyof ReturnType<typeof ecsCalls>;

/**
 * What becomes of one call on its way: it is not carried out (`lost`, `throttled`, `broken`), or it is and its answer does
 * not arrive (`answer-lost`).
 */
export type EcsTrouble = 'lost' | 'answer-lost' | 'throttled' | 'broken';

export interface EcsServer {
  readonly endpoint: string;
  readonly world: EcsWorld;
  /** What is remembered of launches. */
  readonly desk: RunTaskDesk;
  /** Every call that came, in order, with what it asked. */
  readonly heard: { readonly call: EcsCall; readonly input: Record<string, unknown> }[];
  /** The next calls of this kind meet this. */
  trouble(call: EcsCall, ...what: readonly EcsTrouble[]): void;
  /** From now on only these may be launched, as after a deployment. */
  redefine(...active: readonly string[]): void;
  stop(): Promise<void>;
}

export interface EcsServerOptions extends EcsWorldOptions {
  readonly pageSize: number;
}

export const testCluster = 'arn:aws:ecs:eu-west-1:123456789012:cluster/evenkeel';
export const testDefinition = 'arn:aws:ecs:eu-west-1:123456789012:task-definition/evenkeel-turn:7';

/** The container service over HTTP, in the JSON protocol that its clients speak. */
export async function startEcsServer(by: Partial<EcsServerOptions> = {}): Promise<EcsServer> {
  const options = { cluster: testCluster, now: () => Date.now(), pageSize: 100, ...by };
  let definitions: readonly string[] = [testDefinition];
  const world = ecsWorld(options);
  const desk = runTaskDesk(options.now);
  const calls = ecsCalls(world, desk, { ...options, definitions: () => definitions });
  const heard: EcsServer['heard'] = [];
  const troubles = new Map<EcsCall, EcsTrouble[]>();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = String(request.headers['x-amz-target']).replace(/^AmazonEC2ContainerServiceV20141113\./, '');
    const input = await readJson(request);
    if (!Object.hasOwn(calls, name)) throw new EcsFault('UnknownOperationException', name);
    const call = name as EcsCall;
    heard.push({ call, input });
    const trouble = troubles.get(call)?.shift();
    if (trouble === 'lost') return void response.destroy();
    if (trouble === 'throttled') throw new EcsFault('ThrottlingException', 'Rate exceeded');
    if (trouble === 'broken') throw new EcsFault('ServerException', 'Service Unavailable', {}, 503);
    const said = (calls[call] as (input: unknown) => object)(input);
    if (trouble === 'answer-lost') return void response.destroy();
    send(response, 200, said);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      const fault =
        error instanceof EcsFault ? error : new EcsFault('ServerException', String(error), {}, 500);
      send(response, fault.status, { __type: fault.type, message: fault.message, ...fault.more });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    world,
    desk,
    heard,
    redefine: (...active) => {
      definitions = active;
    },
    trouble: (call, ...what) => void troubles.set(call, [...(troubles.get(call) ?? []), ...what]),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}
