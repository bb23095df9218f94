import * as z from 'zod';

const count = (description: string) => z.number().int().min(0).max(1_000).describe(description);
const durationMs = (min: number, max: number, description: string) =>
  z.number().int().min(min).max(max).describe(`${description} In milliseconds.`);
const line = z.string().trim().min(1);
const lines = z.array(line);
/** A blank name passes here, so that the contract's own rule can say what would follow. */
const state = z.string().trim();

/** The front matter of a WORKFLOW.md. docs/workflow.md is generated from these descriptions. */
export const workflowSchema = z.strictObject({
  tracker: z
    .strictObject({
      kind: z
        .enum(['github', 'github-project', 'linear', 'local'])
        .describe(
          'Where the board is: labels of a GitHub repository, a GitHub project, a Linear team, or a local folder.',
        ),
      project: line.describe(
        'The board itself: owner/repo (github), owner/number (github-project), a team key (linear), or a folder relative to this file (local).',
      ),
      endpoint: z
        .url({ protocol: /^https?$/ })
        .optional()
        .describe("Base address of the tracker's API, where it is not the vendor's own (Enterprise)."),
      active_states: z
        .array(state)
        .default(['todo', 'in progress'])
        .describe('States in which an issue should have an agent working on it.'),
      in_progress_state: state
        .nullish()
        .describe(
          'State written when a turn starts. Without it: `in progress` where that is an active state; null writes none.',
        ),
      handoff_state: state
        .nullable()
        .default('in review')
        .describe('State written when a turn has ended and a person is next; null writes none.'),
      terminal_states: z
        .array(state)
        .default(['done'])
        .describe('States that end an issue. A closed issue is terminal anyway.'),
      merged_state: state
        .optional()
        .describe('State written to an issue in `handoff_state` once its pull request was merged.'),
      required_labels: lines
        .optional()
        .describe('Labels that must all be present before an issue is worked on.'),
      trusted_actors: z
        .union([z.enum(['write', 'anyone']), lines.min(1)])
        .default('write')
        .describe(
          'Who may start work, where the tracker says who moved the card: people with write access, anyone, or these logins. Bots only by name.',
        ),
    })
    .describe('The board and its state contract.'),
  repository: line
    .optional()
    .describe(
      'Where the agent works: owner/repo, a URL, or a path relative to this file. Without it: tracker.project where that is a repository. On a github-project, owner/repo also says whose issues count; with a URL or a path, those of every repository do.',
    ),
  base: line.default('main').describe('The branch that work starts from.'),
  agent: z
    .strictObject({
      kind: z
        .enum(['claude-code', 'codex', 'copilot', 'gemini', 'opencode', 'command'])
        .default('claude-code')
        .describe('The agent to run.'),
      command: line
        .optional()
        .describe(
          "A shell line, run in the checkout with the prompt on its standard input. Needed for kind command; else in place of the kind's own program.",
        ),
      max_concurrent_agents: count('Turns of this board at once; 0 starts nothing.').default(4),
      max_concurrent_agents_by_state: z
        .record(z.string(), count('Turns that hold a slot of this state at once.'))
        .default({})
        .describe('Turns at once by active state, as a map from state to number.'),
      max_in_handoff: count('Nothing new starts while this many issues wait for a person.').optional(),
      max_failures: z
        .number()
        .int()
        .min(1)
        .max(100)
        .default(3)
        .describe('Tries after agent, delivery and policy failures, each counted alone.'),
      max_turns: z
        .number()
        .int()
        .min(1)
        .max(1_000)
        .default(20)
        .describe("Turns per issue without a person's move."),
      max_no_progress: z
        .number()
        .int()
        .min(1)
        .max(100)
        .default(2)
        .describe('Turns in a row without a commit, a question or a state change.'),
      max_retry_backoff_ms: durationMs(0, 86_400_000, 'The longest wait between two tries.').default(300_000),
      turn_timeout_ms: durationMs(1_000, 21_000_000, 'The longest a turn may take.').default(3_600_000),
      stall_timeout_ms: durationMs(
        1_000,
        21_000_000,
        'The longest an agent may show no sign of work.',
      ).default(600_000),
      budget: z
        .strictObject({
          usd_per_issue: z
            .number()
            .min(0)
            .max(1_000_000)
            .optional()
            .describe("Dollars per issue without a person's move."),
          usd_per_day: z
            .number()
            .min(0)
            .max(1_000_000)
            .optional()
            .describe('Dollars of this board per day (UTC).'),
          tokens_per_issue: z
            .number()
            .int()
            .min(0)
            .max(1_000_000_000_000)
            .optional()
            .describe("Tokens per issue without a person's move."),
        })
        .optional()
        .describe(
          'Limits on spend. Unknown usage is not zero: it is shown as unknown and counted as a turn.',
        ),
      task: z
        .strictObject({
          cpu: z
            .number()
            .int()
            .min(256)
            .max(16_384)
            .default(1_024)
            .describe('CPU units; 1024 are one processor.'),
          memory: z.number().int().min(512).max(122_880).default(4_096).describe('Memory in MiB.'),
          spot: z.boolean().default(false).describe('Run on spot capacity.'),
          disk_gib: z.number().int().min(21).max(200).default(21).describe('Disk in GiB.'),
        })
        .prefault({})
        .describe('Size of the Fargate task that runs a turn. Without meaning on one machine.'),
    })
    .prefault({})
    .describe('Who works, how much at once, and when to give up.'),
  hooks: z
    .strictObject({
      after_create: line
        .optional()
        .describe('Shell line, run once in a new checkout; failing ends the turn.'),
      before_run: line.optional().describe('Shell line, run before the agent; failing ends the turn.'),
      after_run: line.optional().describe('Shell line, run after the agent; failing is noted only.'),
      timeout_ms: durationMs(1_000, 3_600_000, 'The longest a hook may take.').default(300_000),
    })
    .prefault({})
    .describe('Shell lines around the agent.'),
  verify: lines
    .default([])
    .describe(
      'Gates: shell lines, run in a clean environment on the committed work before a turn may count as success. Each may take 15 minutes, and all together until 7.5 minutes after `turn_timeout_ms`.',
    ),
  pull_request: z
    .strictObject({
      open: z
        .boolean()
        .default(true)
        .describe('Open one, and keep our block of it current; false leaves both to people.'),
      draft: z.boolean().default(true).describe('Open it as a draft.'),
      closing_keyword: z.boolean().default(false).describe('Let its merge close the issue.'),
    })
    .prefault({})
    .describe("The pull request of an issue's branch, at GitHub."),
  deny_paths: lines
    .default(['.github/workflows/**'])
    .describe(
      'Paths that work may not touch; such work is not pushed to the branch. On one machine the workflow file itself is always one of them where it lies in a checkout of `repository`: it is read where it stands, whatever branch is checked out.',
    ),
});

/** How each kind of board is named in tracker.project, and whether that is a repository, too. */
export const projectForms = {
  github: { form: /^[\w.-]+\/[\w.-]+$/, words: 'owner/repo', isRepository: true },
  'github-project': {
    form: /^[\w.-]+\/[1-9]\d*$/,
    words: "owner/number, the number from the project's address",
    isRepository: false,
  },
  linear: { form: /^[A-Za-z0-9]+$/, words: 'the key of a team, such as ENG', isRepository: false },
  local: { form: /./, words: 'a folder', isRepository: false },
} as const;

/** The front matter with its defaults filled in. */
export type WorkflowFile = z.output<typeof workflowSchema>;
