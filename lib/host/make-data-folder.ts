import { access, constants, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DataFolderError } from './data-folder-error.ts';

/**
 * Makes the data folder where it is missing, so that git does not see it: it holds secrets and stands inside a repository as
 * a rule. An empty one is taken for new, since a start may have been killed right after making it; one with anything in it
 * is left as it is. Throws a `DataFolderError` when it cannot be made or written.
 */
export async function makeDataFolder(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true });
    if ((await readdir(dataDir)).length === 0) await writeFile(join(dataDir, '.gitignore'), '*\n');
    await access(dataDir, constants.W_OK);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    const why = whyNot[code] ?? message;
    throw new DataFolderError(
      `The data folder ${dataDir} cannot be made or written: ${why}. Choose another folder with --data, or mend that.`,
    );
  }
}

const whyNot: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there (EACCES)',
  EPERM: 'this user may not write there (EPERM)',
  EROFS: 'the file system is read-only (EROFS)',
  ENOTDIR: 'a part of its path is a file and no folder (ENOTDIR)',
  EEXIST: 'there is a file of that name and no folder (EEXIST)',
  ENOSPC: 'the disk is full (ENOSPC)',
  EDQUOT: 'the disk quota of this user is used up (EDQUOT)',
  EFBIG: 'the disk takes no more under the limit on file sizes (EFBIG, see ulimit -f)',
};
