import { stringify } from 'yaml';

/** Keys of a workflow file by section, and the prompt. */
export interface Policy {
  readonly tracker?: object;
  readonly agent?: object;
  readonly hooks?: object;
  readonly verify?: readonly string[];
  readonly prompt?: string;
}

/** The workflow file of the board `name` in the scene `dir`: the usual one, changed by the policy. */
export function formatWorkflow(
  dir: string,
  name: string,
  { tracker, agent, prompt, ...rest }: Policy,
): string {
  const front = {
    tracker: {
      kind: 'local',
      project: `./${name}`,
      active_states: ['Todo', 'In Progress'],
      in_progress_state: 'In Progress',
      handoff_state: 'In Review',
      terminal_states: ['Done', 'Cancelled'],
      ...tracker,
    },
    repository: './origin.git',
    agent: {
      kind: 'command',
      command: `sh ${dir}/agent.sh`,
      max_concurrent_agents: 20,
      max_failures: 1,
      max_no_progress: 1,
      max_retry_backoff_ms: 0,
      ...agent,
    },
    ...rest,
  };
  return `---\n${stringify(front)}---\n${prompt ?? 'KEY={{ issue.key }}'}\n`;
}
