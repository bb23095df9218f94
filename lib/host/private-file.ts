import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes a file that only its owner may read, all of it or nothing: a reader never sees a half. For whoever holds the data
 * folder, so that there is one writer at a time.
 */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  // Always the same name, so that the draft of a killed process is used up by the next one: it may hold a secret.
  const draft = `${path}.new`;
  try {
    const file = await open(draft, 'w', 0o600);
    try {
      // A draft that a killed process left may have other rights.
      await file.chmod(0o600);
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
