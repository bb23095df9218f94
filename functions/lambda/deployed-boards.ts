import * as z from 'zod';
import { readBundledFile } from '../../lib/adapters/runtime/read-bundled-file.ts';
import type { DeploymentSecret } from '../../lib/adapters/secrets/deployment-secret.ts';
import type { SecretReader } from '../../lib/adapters/secrets/secret-reader.ts';
import type { Board, Tracker } from '../../lib/controller/ports.ts';
import { frozenWorkflowSchema } from '../../lib/core/frozen-workflow.ts';
import type { BoardId } from '../../lib/core/issue.ts';
import type { Workflow } from '../../lib/core/workflow.ts';
import type { BundledFile } from '../environment.ts';
import { once } from './lambda-handler.ts';

/** The tracker of a board, with its access read from the deployment's secret when it is needed. */
export type TrackerOf = (workflow: Workflow, secrets: SecretReader<DeploymentSecret>) => Tracker;

/**
 * The boards that were deployed with this code: their workflows lie beside the bundle, checked when they were deployed, so
 * that code and policy are rolled back together. Made once in the life of a process.
 */
export function deployedBoards(
  trackerOf: TrackerOf,
  secrets: SecretReader<DeploymentSecret>,
): () => Promise<readonly Board[]> {
  const boards = once(() =>
    readWorkflows().map((workflow) => ({
      id: nameBoard(workflow),
      tracker: trackerOf(workflow, secrets),
      workflow,
      workflowProblem: undefined,
      repository: addressOf(workflow),
    })),
  );
  return async () => boards();
}

function readWorkflows(): readonly Workflow[] {
  const name: BundledFile = 'workflows.json';
  const parsed = z.array(frozenWorkflowSchema).safeParse(JSON.parse(readBundledFile(import.meta.url, name)));
  if (parsed.success) return parsed.data;
  throw new Error(`${name} does not fit this version: ${z.prettifyError(parsed.error)}. Deploy again.`);
}

/** Stays the same for as long as the workflow names the same board. */
function nameBoard({ tracker: { kind, endpoint, project } }: Workflow): BoardId {
  const host = endpoint === undefined ? '' : `${new URL(endpoint).host}/`;
  return `${kind}:${host}${project.toLowerCase()}` as BoardId;
}

/** What git is given: an address as it stands, and that of the tracker's own host for `owner/repo`. */
function addressOf({ repository, tracker: { endpoint } }: Workflow): string {
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository)) return repository;
  const host = endpoint === undefined ? 'github.com' : new URL(endpoint).host;
  return `https://${host}/${repository.replace(/\.git$/, '')}.git`;
}
