import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeHostOf } from '../adapters/github/endpoint.ts';
import type { Problem } from '../core/contract.ts';
import { parseWorkflow, type Workflow } from '../core/workflow.ts';
import { findPlace } from './board-place.ts';
import { denyOwnFile } from './deny-own-file.ts';
import { resolveRepository } from './repository-address.ts';

/** A workflow file that this machine can serve. */
export interface ReadWorkflow {
  /** Absolute path of the file. */
  readonly file: string;
  readonly text: string;
  readonly workflow: Workflow;
  /** Where the board is: the real path of its folder, or its web address. */
  readonly place: string;
  readonly repository: string;
}

export interface BrokenWorkflow {
  readonly file: string;
  readonly problems: readonly Problem[];
}

/** Reads one workflow file, or answers everything that keeps this machine from serving it. Never throws. */
export async function readWorkflow(file: string): Promise<ReadWorkflow | BrokenWorkflow> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    return { file, problems: [unreadable(file, error as NodeJS.ErrnoException)] };
  }
  return understandWorkflow(file, text);
}

/** The same of a text that was read already. */
export async function understandWorkflow(file: string, text: string): Promise<ReadWorkflow | BrokenWorkflow> {
  const parsed = parseWorkflow(text, file);
  if ('problems' in parsed) return { file, problems: parsed.problems };
  const { workflow } = parsed;
  const placed = await placeWorkflow(workflow, dirname(file));
  if ('problems' in placed) return { file, ...placed };
  return { file, text, workflow: await denyOwnFile(workflow, file, placed.repository), ...placed };
}

/** Where on this machine a workflow is served, or everything that keeps it from being served. */
export async function placeWorkflow(
  workflow: Workflow,
  from: string,
): Promise<Pick<ReadWorkflow, 'place' | 'repository'> | { readonly problems: readonly Problem[] }> {
  const [place, repository] = await Promise.all([
    findPlace(workflow, from),
    resolveRepository(workflow.repository, from, codeHostOf(workflow.tracker.endpoint)),
  ]);
  const problems = [
    ...checkAgent(workflow),
    ...('problems' in place ? place.problems : []),
    ...('problem' in repository
      ? [{ rule: 'repository-exists', path: 'repository', message: repository.problem }]
      : []),
  ];
  if (problems.length > 0 || 'problems' in place || 'problem' in repository) return { problems };
  return { place: place.place, repository: repository.address };
}

export function isBroken(read: ReadWorkflow | BrokenWorkflow): read is BrokenWorkflow {
  return 'problems' in read;
}

function unreadable(file: string, { code, message }: NodeJS.ErrnoException): Problem {
  const why = code === 'ENOENT' ? 'does not exist' : `cannot be read (${message})`;
  return { rule: 'file', path: '', message: `the workflow file ${file} ${why}` };
}

function checkAgent({ agent }: Workflow): readonly Problem[] {
  if (agent.kind === 'command') return [];
  const message = `agent.kind ${agent.kind} is not supported by this version; use kind: command with a command that runs it`;
  return [{ rule: 'agent-supported', path: 'agent.kind', message }];
}
