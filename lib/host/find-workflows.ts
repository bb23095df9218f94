export interface FoundWorkflows {
  /** Absolute paths. */
  readonly files: readonly string[];
  /** Nobody named a file: the example in the data folder is meant. */
  readonly example: boolean;
}

/**
 * Which workflow files are meant: those given, else `WORKFLOW.md` in `cwd`, else the example's in the data folder. It
 * makes nothing: the example's file may not exist yet, and then `layOutExample` makes it; for reading commands `files`
 * is empty in that case.
 */
export async function findWorkflows(_where: {
  readonly given: readonly string[];
  readonly cwd: string;
  readonly dataDir: string;
}): Promise<FoundWorkflows> {
  throw new Error('not built yet');
}
