import { dirname } from 'node:path';
import type { Problem } from '../core/contract.ts';
import { checkBase } from './check-base.ts';
import { checkPrompt } from './check-prompt.ts';
import type { ReadWorkflow } from './read-workflow.ts';

/** What would end every turn of a workflow that can be served otherwise: a prompt that does not render, a base that is missing. */
export async function findTurnFaults({
  file,
  workflow,
}: Pick<ReadWorkflow, 'file' | 'workflow'>): Promise<readonly Problem[]> {
  return [...checkPrompt(workflow), ...(await checkBase(workflow, dirname(file)))];
}
