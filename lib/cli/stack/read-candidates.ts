import { readFile } from 'node:fs/promises';
import { trackerOf } from '../../../functions/lambda/board-access.ts';
import type { Problem } from '../../core/contract.ts';
import { parseWorkflow, type Workflow } from '../../core/workflow.ts';
import { machineGitHub } from '../../host/machine-github.ts';
import { WorkflowError } from '../../host/workflow-error.ts';

/** Workflow files that are not deployed yet. Throws a `WorkflowError` with all problems of all files. */
export async function readCandidates(files: readonly string[]): Promise<readonly Workflow[]> {
  const read = await Promise.all(files.map(readCandidate));
  const broken = read.flatMap((one) => ('problems' in one ? [one] : []));
  if (broken.length > 0) throw new WorkflowError(broken);
  return read.flatMap((one) => ('workflow' in one ? [one.workflow] : []));
}

type Candidate =
  | { readonly workflow: Workflow }
  | { readonly file: string; readonly problems: readonly Problem[] };

async function readCandidate(file: string): Promise<Candidate> {
  try {
    const parsed = parseWorkflow(await readFile(file, 'utf8'), file);
    if ('problems' in parsed) return { file, problems: parsed.problems };
    return checkKind(file, parsed.workflow);
  } catch (error) {
    const message = `the workflow file ${file} cannot be read: ${(error as Error).message}`;
    return { file, problems: [{ rule: 'file', path: '', message }] };
  }
}

/** A board that a deployment cannot serve is no candidate for one. */
function checkKind(file: string, workflow: Workflow): Candidate {
  try {
    trackerOf(workflow, machineGitHub());
    return { workflow };
  } catch (error) {
    const { message } = error as Error;
    return { file, problems: [{ rule: 'kind-supported', path: 'tracker.kind', message }] };
  }
}
