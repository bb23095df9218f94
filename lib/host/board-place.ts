import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { codeHostOf, isInsecure } from '../adapters/github/endpoint.ts';
import type { Problem } from '../core/contract.ts';
import type { Workflow } from '../core/workflow.ts';
import { findGitHubIdentity } from './machine-github.ts';

/**
 * Where the board of a workflow is, or what keeps this machine from serving it: the real path of a folder, or a web
 * address. Two boards are the same when they are at the same place.
 */
export async function findPlace(
  workflow: Workflow,
  from: string,
): Promise<{ readonly place: string } | { readonly problems: readonly Problem[] }> {
  const { kind } = workflow.tracker;
  if (kind === 'local') return findFolder(workflow, from);
  if (kind === 'github' || kind === 'github-project') return findGitHubBoard(workflow);
  const message = `tracker.kind ${kind} is not supported by this version, which serves boards of the kinds local, github and github-project`;
  return { problems: [{ rule: 'kind-supported', path: 'tracker.kind', message }] };
}

/** The places that are folders of this machine. */
export function foldersOf(
  boards: readonly { readonly place: string; readonly workflow: Workflow }[],
): readonly string[] {
  return boards.filter(({ workflow }) => isLocal(workflow)).map(({ place }) => place);
}

export function isLocal({ tracker }: Workflow): boolean {
  return tracker.kind === 'local';
}

async function findFolder({ tracker }: Workflow, from: string) {
  const path = resolve(from, tracker.project);
  try {
    return { place: await realpath(path) };
  } catch {
    const message = `tracker.project names no folder: ${path} does not exist; make it, with a board.yaml that names its states`;
    return { problems: [{ rule: 'project-exists', path: 'tracker.project', message }] };
  }
}

function findGitHubBoard({ tracker }: Workflow) {
  const { kind, project, endpoint } = tracker;
  const isProject = kind === 'github-project';
  const needed = isProject ? `the project ${project} and the issues on it` : `the issues of ${project}`;
  const path = isProject ? project.replace('/', '/projects/') : project;
  const problems: readonly Problem[] = [
    ...(isInsecure(endpoint)
      ? [
          {
            rule: 'endpoint-secure',
            path: 'tracker.endpoint',
            message: `tracker.endpoint ${endpoint} is not encrypted: the token could be read on its way; use https`,
          },
        ]
      : []),
    ...findIdentityProblem(
      `GITHUB_TOKEN is not set: a board of kind ${kind} is read with a token; give one that may read and write ${needed}, or a GitHub App that may, by GITHUB_APP_ID and GITHUB_APP_PRIVATE_KEY`,
    ),
  ];
  // The vendor knows no case in names.
  return problems.length > 0
    ? { problems }
    : { place: `https://${codeHostOf(endpoint)}/${path}`.toLowerCase() };
}

function findIdentityProblem(ifNone: string): readonly Problem[] {
  const identity = findGitHubIdentity();
  if (identity === undefined) return [{ rule: 'token-needed', path: 'tracker.kind', message: ifNone }];
  if (identity.kind !== 'unclear') return [];
  return [{ rule: 'app-unclear', path: 'tracker.kind', message: identity.problem }];
}
