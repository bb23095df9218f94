import { codeHostOf } from '../adapters/github/endpoint.ts';
import { endpointsOf, isAtCodeHost } from '../adapters/github/github-access.ts';
import type { Problem } from '../core/contract.ts';
import type { IssueId } from '../core/issue.ts';
import { branchName } from '../core/names.ts';
import type { Workflow } from '../core/workflow.ts';
import { machineGitHub } from './machine-github.ts';

/**
 * What keeps turns without pull requests, or issues from being finished by a merge, as far as a look tells it: writing is
 * refused when it is tried, and the status comment says so then.
 */
export async function checkPullRequests(workflow: Workflow, repository: string): Promise<readonly Problem[]> {
  const { tracker, base, pull_request } = workflow;
  const endpoints = endpointsOf([tracker]);
  const finishes = tracker.merged_state !== undefined;
  if (endpoints.length === 0 || !(finishes || pull_request.open)) return [];
  const shown = repository.replace(/\/\/[^/@]*@/, '//');
  const tell = (message: string): readonly Problem[] => [
    { rule: 'pull-requests-read', path: finishes ? 'tracker.merged_state' : 'pull_request', message },
  ];
  if (!isAtCodeHost(repository, endpoints))
    return finishes
      ? tell(
          `no issue is finished by a merge: pull requests of ${shown} are not known, only those of repositories at ${codeHostOf(tracker.endpoint)}`,
        )
      : [];
  try {
    const { merged } = machineGitHub().pullRequests(async () => [tracker]);
    await merged(repository, base, [branchName('nobody' as IssueId)]);
    return [];
  } catch (error) {
    const follows = [
      ...(pull_request.open ? ['turns get none'] : []),
      ...(finishes ? ['no issue is finished by a merge'] : []),
    ];
    return tell(
      `pull requests of ${shown} cannot be read, so that ${follows.join(' and ')}: ${(error as Error).message}`,
    );
  }
}
