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

export async function writeHostFile(dataDir: string, file: HostFile): Promise<void> {
  await writePrivateFile(hostFilePath(dataDir), `${JSON.stringify(file, undefined, 2)}\n`);
}

/** Takes the file away, if it is this host's own. */
export async function removeHostFile(dataDir: string, token: string): Promise<void> {
  if ((await readHostFile(dataDir))?.token === token) await rm(hostFilePath(dataDir), { force: true });
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
