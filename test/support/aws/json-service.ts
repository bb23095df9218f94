import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A service of AWS that speaks JSON: answers each call by its name, and remembers what was asked. */
export interface JsonService {
  readonly endpoint: string;
  readonly heard: { readonly call: string; readonly input: Record<string, unknown> }[];
  stop(): Promise<void>;
}

/** An answer that throws is a failure of the service; its message is the fault's type, its cause what the fault says. */
export async function startJsonService(
  answers: Readonly<Record<string, (input: Record<string, unknown>) => object>>,
): Promise<JsonService> {
  const heard: JsonService['heard'] = [];
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    const call = String(request.headers['x-amz-target']).replace(/^.*\./, '');
    const input = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>;
    heard.push({ call, input });
    const send = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
    try {
      send(200, answers[call]?.(input) ?? {});
    } catch (error) {
      const { message, cause = 'as the test wants it' } = error as Error;
      send(400, { __type: message, message: cause });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
