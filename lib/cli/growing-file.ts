import { constants, open } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';

/** A file that somebody may still be writing. */
export interface GrowingFile {
  /** What was written since the last call; nothing while there is no such file. */
  readNew(): Promise<string>;
}

/** Reads on where it stopped, at most `chunkBytes` at a time; what is no plain file is as good as empty. */
export function growingFile(path: string): GrowingFile {
  const decoder = new StringDecoder('utf8');
  let position = 0;
  return {
    async readNew() {
      const file = await openIfThere(path);
      if (file === undefined) return '';
      try {
        const stat = await file.stat();
        if (!stat.isFile()) return '';
        // Shorter than before: it was begun anew, so that what is there now is new.
        if (stat.size < position) position = 0;
        const bytes = Buffer.alloc(Math.min(chunkBytes, stat.size - position));
        const { bytesRead } = await file.read(bytes, 0, bytes.length, position);
        position += bytesRead;
        return decoder.write(bytes.subarray(0, bytesRead));
      } finally {
        await file.close();
      }
    },
  };
}

const chunkBytes = 1024 * 1024;

async function openIfThere(path: string) {
  try {
    // Without O_NONBLOCK the open of a pipe would wait for a writer.
    return await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new Error(`${path} cannot be read (${code ?? message}).`);
  }
}
