import type { BrokenWorkflow } from './read-workflow.ts';

/** Workflow files that cannot be served: each with every problem at once. */
export class WorkflowError extends Error {
  override readonly name = 'WorkflowError';
  readonly files: readonly BrokenWorkflow[];

  constructor(files: readonly BrokenWorkflow[]) {
    super(files.map(describeBroken).join('\n'));
    this.files = files;
  }
}

/** The file and all its problems as one sentence. They need not be faults of the file: a token may be missing. */
export function describeBroken({ file, problems }: BrokenWorkflow): string {
  return `${file} cannot be served: ${problems.map(({ message }) => message).join('; ')}`;
}
