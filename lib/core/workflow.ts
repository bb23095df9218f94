import * as z from 'zod';

const count = (description: string) => z.number().int().min(0).max(1_000).describe(description);
const names = z.array(z.string().trim().min(1));
const durationMs = (min: number, max: number, description: string) =>
  z.number().int().min(min).max(max).describe(`${description} Milliseconds, ${min} to ${max}.`);
const line = z.string().trim().min(1);

/** The front matter of a WORKFLOW.md. docs/workflow.md is generated from these descriptions. */
export const workflowSchema = z.strictObject({
  tracker: z
    .strictObject({
      kind: z.enum(['github', 'github-project', 'linear', 'local']).describe('Where the board is.'),
      project: line.describe('owner/repo, owner/number, a Linear team key, or the folder of a local board (relative to this file).'),
      endpoint: z.url().optional().describe('Base address of an Enterprise API.'),
      active_states: names.min(1).describe('States in which an issue should have an agent working on it.'),
      in_progress_state: line.optional().describe('State written when a turn starts; must be active.'),
      handoff_state: line.optional().describe('State written when a turn has ended and a person is next; neither active nor terminal.'),
      terminal_states: names.min(1).describe('States that end an issue. A closed issue is terminal anyway.'),
      merged_state: line.optional().describe('State written when the linked pull request was merged; must be terminal.'),
      required_labels: names.optional().describe('All of these must be present before an issue is worked on.'),
      trusted_actors: z
        .union([z.enum(['write', 'anyone']), names.min(1)])
        .default('write')
        .describe('Who may start work, where the tracker says who moved the card; bots only by name.'),
    })
    .describe('The board and its state contract.'),
  repository: line.optional().describe('Where the agent works: owner/repo, a URL, or a path relative to this file. Default: tracker.project where that is a repository.'),
  base: line.default('main').describe('The branch that work starts from.'),
  agent: z
    .strictObject({
      kind: z.enum(['claude-code', 'codex', 'copilot', 'gemini', 'opencode', 'command']).describe('The agent to run.'),
      command: line.optional().describe('A shell line, run in the checkout with the prompt on its standard input. For kind command, or in place of a preset program.'),
      max_concurrent_agents: count('Turns of this board at once; 0 starts nothing.').default(4),
      max_concurrent_agents_by_state: z.record(z.string(), count('Turns holding a slot of this state at once.')).default({}).describe('Turns at once by state.'),
      max_in_handoff: count('Nothing new starts while this many issues wait for a person; unset means no limit.').optional(),
      max_failures: z.number().int().min(1).max(100).default(3).describe('Tries for agent, delivery and policy failures, each counted alone.'),
      max_turns: z.number().int().min(1).max(1_000).default(20).describe("Turns per issue without a person's move."),
      max_no_progress: z.number().int().min(1).max(100).default(2).describe('Turns in a row without a commit, a question or a state change.'),
      max_retry_backoff_ms: durationMs(0, 86_400_000, 'The longest wait between two tries.').default(300_000),
      turn_timeout_ms: durationMs(1_000, 21_000_000, 'The longest a turn may take.').default(3_600_000),
      stall_timeout_ms: durationMs(1_000, 21_000_000, 'The longest an agent may show no sign of work.').default(600_000),
      budget: z
        .strictObject({
          usd_per_issue: z.number().min(0).max(1_000_000).optional().describe('Spend per issue since the last reset.'),
          usd_per_day: z.number().min(0).max(1_000_000).optional().describe('Spend of this board per day (UTC).'),
          tokens_per_issue: z.number().int().min(0).optional().describe('Tokens per issue since the last reset.'),
        })
        .optional()
        .describe('Limits on spend. Unknown usage is not zero: it is shown as unknown and counted as a turn.'),
      task: z
        .strictObject({
          cpu: z.number().int().min(256).max(16_384).default(1_024).describe('CPU units of the task.'),
          memory: z.number().int().min(512).max(122_880).default(4_096).describe('Memory of the task in MiB.'),
          spot: z.boolean().default(false).describe('Run on spot capacity.'),
          disk_gib: z.number().int().min(21).max(200).default(21).describe('Disk of the task in GiB.'),
        })
        .prefault({})
        .describe('Size of the task that runs a turn. No meaning for local processes.'),
    })
    .describe('Who works, how much at once, and when to give up.'),
  hooks: z
    .strictObject({
      after_create: line.optional().describe('Shell, run once in a new checkout.'),
      before_run: line.optional().describe('Shell, run before the agent; failing ends the turn.'),
      after_run: line.optional().describe('Shell, run after the agent; failing is noted only.'),
      timeout_ms: durationMs(1_000, 3_600_000, 'The longest a hook may take.').default(300_000),
    })
    .prefault({})
    .describe('Shell lines around the agent.'),
  verify: names.default([]).describe('Gates: shell lines, run in a clean environment on the committed work before a turn may count as success.'),
  pull_request: z
    .strictObject({
      draft: z.boolean().default(true).describe('Open pull requests as drafts.'),
      closing_keyword: z.boolean().default(false).describe('Let the merge close the issue.'),
    })
    .prefault({})
    .describe('The pull request of a branch.'),
  deny_paths: names.default(['.github/workflows/**']).describe('Paths that work may not touch; such work is not pushed to the branch.'),
});

/** The front matter with its defaults filled in. */
export type WorkflowFile = z.output<typeof workflowSchema>;

/** A board's policy: the file's front matter, its prompt template, and the hash that names both in the history. */
export interface Workflow extends WorkflowFile {
  readonly prompt: string;
  readonly policyHash: string;
}
