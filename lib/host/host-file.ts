import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { writePrivateFile } from './private-file.ts';

const hostFileSchema = z.object({
  pid: z.number().int().positive(),
  /** The loopback address at which the host listens. */
  url: z.url({ protocol: /^http$/, hostname: /^127\.0\.0\.1$/ }),
  /** The bearer of the operations. */
  token: z.string().min(32),
  startedAt: z.string(),
  version: z.string(),
});

/** Where a running host is found: by the command line, and by turns that outlived a former host. */
export type HostFile = Readonly<z.output<typeof hostFileSchema>>;

export function hostFilePath(dataDir: string): string {
  return join(dataDir, 'host.json');
}

/** Undefined when there is none that can be understood; it may be left over from a host that was killed. */
async function readHostFile(dataDir: string): Promise<HostFile | undefined> {
  try {
    return hostFileSchema.parse(JSON.parse(await readFile(hostFilePath(dataDir), 'utf8')));
  } catch {
    return undefined;
  }
}

/** The host that the file names, if such a process exists. Only asking it tells whether it really is that host. */
export async function findLiveHost(dataDir: string): Promise<HostFile | undefined> {
  const host = await readHostFile(dataDir);
  return host !== undefined && isAlive(host.pid) ? host : undefined;
}

/** How often the file is looked after: running turns find their way by it and cannot deliver without. */
const lookAfterMs = 2_000;

/**
 * Writes the file, and writes it anew when somebody took it away. Answers how to stop that, which removes the file if it
 * is still this host's own.
 */
export async function keepHostFile(dataDir: string, file: HostFile): Promise<() => Promise<void>> {
  const write = () => writePrivateFile(hostFilePath(dataDir), `${JSON.stringify(file, undefined, 2)}\n`);
  await write();
  const lookAfter = async () => {
    if ((await readHostFile(dataDir))?.token !== file.token) await write();
  };
  let looking = Promise.resolve();
  const timer = setInterval(() => {
    looking = looking.then(lookAfter).catch(() => undefined);
  }, lookAfterMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await looking;
    if ((await readHostFile(dataDir))?.token === file.token) await rm(hostFilePath(dataDir), { force: true });
  };
}

/** Whether a process of this number exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
