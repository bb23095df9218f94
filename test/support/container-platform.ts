import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Tells programs that they have a container of their own, and which task it is. */
export async function startContainerPlatform() {
  const server = createServer((_, response) => response.end('{"TaskARN":"arn:task/1"}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    env: { ECS_CONTAINER_METADATA_URI_V4: `http://127.0.0.1:${port}` },
    stop: () => void server.close(),
  };
}
