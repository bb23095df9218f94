import { open } from 'node:fs/promises';

export interface CappedLog {
  /** Never throws: a full disk must not end the work that is being logged. */
  write(chunk: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** A file that takes the first `capBytes` and then only counts. */
export async function openCappedLog(path: string, capBytes: number): Promise<CappedLog> {
  const file = await open(path, 'a', 0o600).catch(() => undefined);
  let kept = 0;
  let dropped = 0;
  let broken = file === undefined;

  async function append(chunk: Uint8Array): Promise<void> {
    if (broken || chunk.length === 0) return;
    await file?.appendFile(chunk).catch(() => {
      broken = true;
    });
  }

  return {
    async write(chunk) {
      const room = chunk.subarray(0, Math.max(0, capBytes - kept));
      kept += room.length;
      dropped += chunk.length - room.length;
      await append(room);
    },
    async close() {
      if (dropped > 0) await append(Buffer.from(`\n[${dropped} more bytes were not kept]\n`));
      await file?.close().catch(() => undefined);
    },
  };
}
