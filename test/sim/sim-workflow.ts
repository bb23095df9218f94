import type { Workflow } from '../../lib/core/workflow.ts';
import { buildWorkflow } from '../support/build-workflow.ts';
import type { FlavourName } from './flavours.ts';
import type { Policy } from './sim-case.ts';

const built = new Map<string, Workflow>();

/** The workflow file of a policy; parsing one costs more than a tick, so each is parsed once. */
export function workflowOf(policy: Policy, flavour: FlavourName): Workflow {
  const name = JSON.stringify([policy, flavour]);
  const known = built.get(name);
  if (known !== undefined) return known;
  const made = buildWorkflow(
    {
      tracker: {
        kind: flavour === 'github-labels' ? 'github' : flavour,
        project: projects[flavour],
        handoff_state: policy.handsOff ? 'In Review' : null,
        in_progress_state: policy.writesProgress ? 'In Progress' : null,
        ...(policy.finishesMerged ? { merged_state: 'Done' } : {}),
        ...(policy.needsLabel ? { required_labels: ['agent'] } : {}),
      },
      agent: agentOf(policy),
    },
    policy.prompt ?? 'Work on {{ issue.key }}: {{ issue.title }}.',
  );
  if (built.size > 2_000) built.clear();
  built.set(name, made);
  return made;
}

const projects: Readonly<Record<FlavourName, string>> = {
  'github-labels': 'acme/web',
  'github-project': 'acme/1',
  linear: 'ENG',
  local: 'board',
};

function agentOf(policy: Policy): object {
  const caps = {
    ...(policy.todoCap === undefined ? {} : { Todo: policy.todoCap }),
    ...(policy.progressCap === undefined ? {} : { 'In Progress': policy.progressCap }),
  };
  const budget = {
    ...(policy.usdPerIssue === undefined ? {} : { usd_per_issue: policy.usdPerIssue }),
    ...(policy.usdPerDay === undefined ? {} : { usd_per_day: policy.usdPerDay }),
    ...(policy.tokensPerIssue === undefined ? {} : { tokens_per_issue: policy.tokensPerIssue }),
  };
  return {
    max_concurrent_agents: policy.boardCap,
    max_concurrent_agents_by_state: caps,
    ...(policy.maxInHandoff === undefined ? {} : { max_in_handoff: policy.maxInHandoff }),
    max_failures: policy.maxFailures,
    max_turns: policy.maxTurns,
    max_no_progress: policy.maxNoProgress,
    turn_timeout_ms: policy.turnTimeoutMs,
    ...(Object.keys(budget).length === 0 ? {} : { budget }),
  };
}
