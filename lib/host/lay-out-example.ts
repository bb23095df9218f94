import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { exampleBoard, exampleRepository, exampleWorkflow, type Files } from './example-files.ts';
import { makeExampleRepository } from './example-repository.ts';
import { makeDataFolder } from './make-data-folder.ts';

/**
 * Lays out the example in `dataDir/example`: a board of Markdown issues, a git repository and a workflow file. Each of the
 * three appears whole or not at all, and one that is there is left as it is. Answers the path of the workflow file, and
 * whether it was made now.
 */
export async function layOutExample(
  dataDir: string,
): Promise<{ readonly workflowFile: string; readonly created: boolean }> {
  const example = exampleFolder(dataDir);
  await makeDataFolder(dataDir);
  await mkdir(example, { recursive: true });
  await removeAbandoned(example);
  const drafts = await mkdtemp(join(example, `${draftPrefix}${process.pid}-`));
  try {
    await place(join(example, 'repository.git'), drafts, (draft) =>
      makeExampleRepository(draft, exampleRepository),
    );
    await place(join(example, 'board'), drafts, (draft) => writeFiles(draft, exampleBoard));
    const workflowFile = exampleWorkflowFile(dataDir);
    const created = await place(workflowFile, drafts, (draft) => writeFile(draft, exampleWorkflow));
    return { workflowFile, created };
  } finally {
    await rm(drafts, { recursive: true, force: true });
  }
}

export function exampleWorkflowFile(dataDir: string): string {
  return join(exampleFolder(dataDir), 'WORKFLOW.md');
}

function exampleFolder(dataDir: string): string {
  return resolve(dataDir, 'example');
}

const draftPrefix = '.new-';

/** Takes away what a killed start left half made. Another one that is at work keeps its own: its process lives. */
async function removeAbandoned(example: string): Promise<void> {
  for (const name of await readdir(example)) {
    if (!name.startsWith(draftPrefix)) continue;
    const pid = Number.parseInt(name.slice(draftPrefix.length), 10);
    if (!isAlive(pid)) await rm(join(example, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Makes a part aside and moves it to its place; false when there is one already. */
async function place(
  path: string,
  drafts: string,
  make: (draft: string) => Promise<unknown>,
): Promise<boolean> {
  if (await exists(path)) return false;
  const draft = join(drafts, 'part');
  await make(draft);
  try {
    await rename(draft, path);
    return true;
  } catch (error) {
    // Another start was faster.
    if (await exists(path)) return false;
    throw error;
  }
}

async function writeFiles(folder: string, files: Files): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
