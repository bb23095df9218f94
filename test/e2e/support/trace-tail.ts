import { closeSync, openSync, readSync, statSync } from 'node:fs';

/** Reads what is added to a file from now on, line by line. */
export interface TraceTail {
  /** The whole lines that came since the last call. */
  read(): readonly string[];
}

export function traceTail(path: string): TraceTail {
  let offset = sizeOf(path);
  return {
    read() {
      const size = sizeOf(path);
      if (size <= offset) return [];
      const text = readPart(path, offset, size - offset);
      const whole = text.slice(0, text.lastIndexOf('\n') + 1);
      offset += Buffer.byteLength(whole);
      return whole.split('\n').filter((line) => line !== '');
    },
  };
}

export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function readPart(path: string, offset: number, length: number): string {
  const file = openSync(path, 'r');
  try {
    const part = Buffer.alloc(length);
    return part.subarray(0, readSync(file, part, 0, length, offset)).toString('utf8');
  } finally {
    closeSync(file);
  }
}
