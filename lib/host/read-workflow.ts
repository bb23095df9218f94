import { readFile, realpath } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Problem } from '../core/contract.ts';
import { parseWorkflow, type Workflow } from '../core/workflow.ts';
import { resolveRepository } from './repository-address.ts';

/** A workflow file that this machine can serve. */
export interface ReadWorkflow {
  /** Absolute path of the file. */
  readonly file: string;
  readonly text: string;
  readonly workflow: Workflow;
  /** Real path of the folder that is the board. */
  readonly folder: string;
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
  const [folder, repository] = await Promise.all([
    findFolder(workflow, dirname(file)),
    resolveRepository(workflow.repository, dirname(file)),
  ]);
  const problems = [
    ...checkAgent(workflow),
    ...('problem' in folder ? [folder.problem] : []),
    ...('problem' in repository
      ? [{ rule: 'repository-exists', path: 'repository', message: repository.problem }]
      : []),
  ];
  if (problems.length > 0 || 'problem' in folder || 'problem' in repository) return { file, problems };
  return { file, text, workflow, folder: folder.path, repository: repository.address };
}

export function isBroken(read: ReadWorkflow | BrokenWorkflow): read is BrokenWorkflow {
  return 'problems' in read;
}

function unreadable(file: string, { code, message }: NodeJS.ErrnoException): Problem {
  const why = code === 'ENOENT' ? 'does not exist' : `cannot be read (${message})`;
  return { rule: 'file', path: '', message: `the workflow file ${file} ${why}` };
}

async function findFolder(
  { tracker }: Workflow,
  from: string,
): Promise<{ readonly path: string } | { readonly problem: Problem }> {
  if (tracker.kind !== 'local') {
    const message = `tracker.kind ${tracker.kind} is not supported by this version, which serves boards of kind local`;
    return { problem: { rule: 'kind-supported', path: 'tracker.kind', message } };
  }
  const path = resolve(from, tracker.project);
  try {
    return { path: await realpath(path) };
  } catch {
    const message = `tracker.project names no folder: ${path} does not exist; make it, with a board.yaml that names its states`;
    return { problem: { rule: 'project-exists', path: 'tracker.project', message } };
  }
}

function checkAgent({ agent }: Workflow): readonly Problem[] {
  if (agent.kind === 'command') return [];
  const message = `agent.kind ${agent.kind} is not supported by this version; use kind: command with a command that runs it`;
  return [{ rule: 'agent-supported', path: 'agent.kind', message }];
}
