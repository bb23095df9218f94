import * as z from 'zod';
import { readBundledFile } from '../../lib/adapters/runtime/read-bundled-file.ts';
import type { Ports } from '../../lib/controller/ports.ts';
import { frozenWorkflowSchema } from '../../lib/core/frozen-workflow.ts';
import type { Workflow } from '../../lib/core/workflow.ts';
import type { BundledFile } from '../environment.ts';
import type { BoardAccess } from './board-access.ts';
import { deployedBoard } from './deployed-board.ts';
import { once } from './lambda-handler.ts';

/**
 * The boards that were deployed with this code: their workflows lie beside the bundle, checked when they were deployed, so
 * that code and policy are rolled back together. Made once in the life of a process.
 */
export function deployedBoards(access: BoardAccess): Pick<Ports, 'boards' | 'gitTokens' | 'pullRequests'> {
  const workflows = once(readWorkflows);
  const boards = once(() => workflows().map((workflow) => deployedBoard(workflow, access.tracker(workflow))));
  return {
    boards: async () => boards(),
    gitTokens: access.gitTokens(workflows),
    pullRequests: access.pullRequests(workflows),
  };
}

function readWorkflows(): readonly Workflow[] {
  const name: BundledFile = 'workflows.json';
  const parsed = z.array(frozenWorkflowSchema).safeParse(JSON.parse(readBundledFile(import.meta.url, name)));
  if (parsed.success) return parsed.data;
  throw new Error(`${name} does not fit this version: ${z.prettifyError(parsed.error)}. Deploy again.`);
}
