import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import type * as z from 'zod';

export type SmallFile<Shape> =
  | { readonly kind: 'found'; readonly value: Shape }
  | { readonly kind: 'absent' }
  | { readonly kind: 'broken'; readonly problem: string };

/**
 * Reads a small JSON file that lies where an agent can write: a link, a pipe, a file over `maxBytes` and a shape that
 * does not fit are `broken`, and nothing behind them is followed, waited for or read whole.
 */
export function readSmallFile<Shape>(
  path: string,
  schema: z.ZodType<Shape>,
  maxBytes = 64 * 1024,
): SmallFile<Shape> {
  try {
    const parsed = schema.safeParse(JSON.parse(readRegularFile(path, maxBytes)));
    return parsed.success
      ? { kind: 'found', value: parsed.data }
      : { kind: 'broken', problem: 'its fields do not fit' };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'absent' };
    return { kind: 'broken', problem: (error as Error).message };
  }
}

/** Replaces the file in one step: a reader sees the old one or the new one, also when the writer is killed. */
export function writeSmallFile(path: string, value: unknown): void {
  const fresh = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(fresh, `${JSON.stringify(value)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}

function readRegularFile(path: string, maxBytes: number): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!fstatSync(file).isFile()) throw new Error('it is no regular file');
    const buffer = Buffer.alloc(maxBytes + 1);
    const bytes = readFully(file, buffer);
    if (bytes > maxBytes) throw new Error(`it is longer than ${maxBytes} bytes`);
    return buffer.toString('utf8', 0, bytes);
  } finally {
    closeSync(file);
  }
}

function readFully(file: number, buffer: Buffer): number {
  let bytes = 0;
  for (let more = -1; more !== 0 && bytes < buffer.length; bytes += more) {
    more = readSync(file, buffer, bytes, buffer.length - bytes, null);
  }
  return bytes;
}
