import type { Problem } from '../core/contract.ts';

/** Workflow files that cannot be served: each with every problem at once. */
export class WorkflowError extends Error {
  override readonly name = 'WorkflowError';
  readonly files: readonly BrokenWorkflow[];

  constructor(files: readonly BrokenWorkflow[]) {
    super(
      files
        .map(({ file, problems }) => `${file}: ${problems.map(({ message }) => message).join('; ')}`)
        .join('\n'),
    );
    this.files = files;
  }
}

export interface BrokenWorkflow {
  readonly file: string;
  readonly problems: readonly Problem[];
}
