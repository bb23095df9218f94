import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { readDeployment } from './deployment-file.ts';
import { exampleWorkflowFile } from './lay-out-example.ts';

export interface FoundWorkflows {
  /** Absolute paths. */
  readonly files: readonly string[];
  /** Nobody named a file: the example in the data folder is meant. */
  readonly example: boolean;
}

export interface WorkflowSearch {
  readonly given: readonly string[];
  readonly cwd: string;
  readonly dataDir: string;
  /** For commands that only ask: rather what was served last from this data folder than the example. */
  readonly orServedLast?: boolean | undefined;
}

/**
 * Which workflow files are meant: those given, else `WORKFLOW.md` in `cwd`, else the example's in the data folder. It
 * makes nothing: where the example is not laid out yet `files` is empty, and `layOutExample` makes it.
 */
export async function findWorkflows({
  given,
  cwd,
  dataDir,
  orServedLast,
}: WorkflowSearch): Promise<FoundWorkflows> {
  if (given.length > 0) return { files: given.map((file) => resolve(cwd, file)), example: false };
  const here = join(resolve(cwd), 'WORKFLOW.md');
  if (await isFile(here)) return { files: [here], example: false };
  const servedLast = orServedLast ? ((await readDeployment(dataDir))?.workflows ?? []) : [];
  if (servedLast.length > 0) return { files: servedLast, example: false };
  const example = exampleWorkflowFile(dataDir);
  return { files: (await isFile(example)) ? [example] : [], example: true };
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
