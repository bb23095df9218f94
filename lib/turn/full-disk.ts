import { statfsSync } from 'node:fs';

/** Whether the disk of this folder is full now. A program that ran out of space does not always say so. */
export function isDiskFull(folder: string): boolean {
  try {
    return isFull(statfsSync(folder));
  } catch {
    return false;
  }
}

/** What a file system has left, as `statfs` tells it. */
export interface FreeSpace {
  readonly bsize: number;
  readonly bavail: number;
  readonly files: number;
  readonly ffree: number;
}

/** Some file systems make room for new files as they are wanted, and count none. */
export function isFull({ bsize, bavail, files, ffree }: FreeSpace): boolean {
  return bavail * bsize < leastBytes || (files > 0 && ffree === 0);
}

/** A program that failed has mostly removed again what it had begun to write. */
const leastBytes = 1024 * 1024;
