import { constants, open } from 'node:fs/promises';

/**
 * Reads a file that lies where an agent can write. Undefined for a link, a pipe, a folder, a longer file and none:
 * nothing behind it is followed, waited for or read whole. With an owner also for a file of anybody else, to which the
 * agent may have made a further name.
 */
export async function readSmallFile(
  path: string,
  mostBytes: number,
  owner?: number,
): Promise<string | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const found = await file.stat();
    if (!found.isFile() || found.uid !== (owner ?? found.uid)) return undefined;
    const buffer = Buffer.alloc(mostBytes + 1);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    return bytesRead > mostBytes ? undefined : buffer.toString('utf8', 0, bytesRead);
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}
