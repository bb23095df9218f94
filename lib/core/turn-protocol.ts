import * as z from 'zod';

/**
 * The calls between a running turn and the turn API, validated on both sides. The turn asks; the API answers *go*,
 * *wait* or *stop*. A turn that is told anything but *go* writes nothing outside its own folder.
 *
 * `POST /turns/<turnId>/start|heartbeat|git-token|keep-work|result` with a JSON body. `start` carries the one-time ticket as bearer and binds
 * the key that the program made itself; later calls carry the key.
 */

/** Bounds of what a turn may send: a result must fit beside the lease in one item. `body` and `bundle` count bytes, the others characters or entries. */
export const limits = {
  body: 512 * 1024,
  bundle: 500 * 1024 * 1024,
  text: 2_000,
  question: 4_000,
  logTail: 8_192,
  commits: 50,
  paths: 50,
  gates: 100,
} as const;

/** What of a turn's folder both the turn program and its runner know by name. */
export const turnFolderNames = {
  workspace: 'ws',
  repository: 'repo.git',
  gates: 'gates',
  temporary: 'tmp',
  handover: 'handover.bundle',
  /** Work that could not be pushed anywhere. */
  workBundle: 'work.bundle',
  outcome: 'outcome.json',
  /** Says where a later turn has kept all that a killed one left in its workspace. */
  rescued: 'rescued.txt',
} as const;

/**
 * How the turn program ends, as its runner sees it. A hint for people and for what nobody could record: what counts is the
 * recorded result. `refused` means that the turn API said *stop*, at the gate or to the result.
 */
export const turnExitCodes = { recorded: 0, refused: 21, unanswered: 40 } as const;

/** A list whose length is known to be fit before its entries are looked at: anybody may send one, and what is wrong is listed for each. */
const shortList = <Entry>(entry: z.ZodType<Entry>, most: number) =>
  z.array(z.unknown()).max(most).pipe(z.array(entry));

export const startRequestSchema = z.strictObject({
  /** The program's own name of the container or process it runs in. */
  arn: z.string().min(1).max(300),
  key: z.string().regex(/^[A-Za-z0-9_-]{32,128}$/, 'a key of 32 to 128 url-safe characters'),
});
export type StartRequest = z.infer<typeof startRequestSchema>;

const hooksSchema = z.strictObject({
  after_create: z.string().optional(),
  before_run: z.string().optional(),
  after_run: z.string().optional(),
  timeout_ms: z.number(),
});

/** Everything a turn needs to know, frozen at the claim. */
export const instructionsSchema = z.strictObject({
  board: z.string(),
  key: z.string(),
  turnId: z.string(),
  attempt: z.number(),
  repository: z.string(),
  base: z.string(),
  branch: z.string(),
  wipBranch: z.string(),
  prompt: z.string(),
  agent: z.strictObject({
    kind: z.string(),
    /** A shell line for `kind: command`. */
    command: z.string().optional(),
    turn_timeout_ms: z.number(),
    stall_timeout_ms: z.number(),
  }),
  hooks: hooksSchema,
  verify: z.array(z.string()),
  deny_paths: z.array(z.string()),
  heartbeatMs: z.number(),
});
export type Instructions = z.infer<typeof instructionsSchema>;

const stopAnswer = z.strictObject({
  answer: z.literal('stop'),
  reason: z.string(),
  /** The lease is still this turn's, so that commits may still be kept on the work-in-progress branch. */
  keepWork: z.boolean(),
});
const waitAnswer = z.strictObject({ answer: z.literal('wait'), reason: z.string() });

export const startAnswerSchema = z.discriminatedUnion('answer', [
  z.strictObject({
    answer: z.literal('go'),
    instructions: instructionsSchema,
    /** Variables that only the agent gets, such as the key of its model: no part of the instructions, which are kept. */
    agentEnvironment: z.record(z.string(), z.string()).optional(),
  }),
  stopAnswer,
]);
export type StartAnswer = z.infer<typeof startAnswerSchema>;

export const heartbeatRequestSchema = z.strictObject({
  /** What the turn is doing, for people. */
  step: z.enum(['workspace', 'hooks', 'agent', 'verify', 'deliver', 'stopping']),
  /** Counts signs of work of the agent (output, commits); liveness alone is no progress. */
  progress: z.number().int().nonnegative(),
  arn: z.string().min(1).max(300),
});
export type HeartbeatRequest = z.infer<typeof heartbeatRequestSchema>;

export const heartbeatAnswerSchema = z.discriminatedUnion('answer', [
  z.strictObject({ answer: z.literal('go') }),
  waitAnswer,
  stopAnswer,
]);
export type HeartbeatAnswer = z.infer<typeof heartbeatAnswerSchema>;

export const gitTokenRequestSchema = z.strictObject({ arn: z.string().min(1).max(300) });
export type GitTokenRequest = z.infer<typeof gitTokenRequestSchema>;

export const gitTokenAnswerSchema = z.discriminatedUnion('answer', [
  z.strictObject({
    answer: z.literal('go'),
    /** Missing where the deployment has none for this repository: the turn uses what its machine has. */
    token: z
      .strictObject({
        username: z.string().min(1),
        password: z.string().min(1),
        expiresAt: z.number().optional(),
        revokeUrl: z.url({ protocol: /^https?$/ }).optional(),
      })
      .optional(),
  }),
  waitAnswer,
  stopAnswer,
]);
export type GitTokenAnswer = z.infer<typeof gitTokenAnswerSchema>;

export const keepWorkRequestSchema = z.strictObject({
  arn: z.string().min(1).max(300),
  /** How large the bundle is that is to be kept. */
  bytes: z.number().int().positive().max(limits.bundle),
});
export type KeepWorkRequest = z.infer<typeof keepWorkRequestSchema>;

export const keepWorkAnswerSchema = z.discriminatedUnion('answer', [
  z.strictObject({
    answer: z.literal('go'),
    /** Missing where the deployment keeps none: the turn's own folder is all there is. */
    place: z
      .strictObject({
        /** Takes one PUT of as many bytes as were asked for, and nothing else. */
        uploadUrl: z.url({ protocol: /^https?$/ }),
        /** By what name people find it afterwards. */
        address: z.string().min(1).max(limits.text),
      })
      .optional(),
  }),
  waitAnswer,
  stopAnswer,
]);
export type KeepWorkAnswer = z.infer<typeof keepWorkAnswerSchema>;

const usageSchema = z.strictObject({
  usd: z.number().nonnegative().optional(),
  tokens: z.number().int().nonnegative().optional(),
});

const verificationSchema = z.strictObject({
  command: z.string().max(limits.text),
  status: z.enum(['passed', 'failed', 'timeout', 'not-run']),
  exitCode: z.number().int().optional(),
  durationMs: z.number().nonnegative(),
});

/**
 * What happened, as evidence and not as a verdict.
 *
 * - `completed`: the agent's terminal event was seen, gates passed, work (if any) was pushed.
 * - `question`: the agent asked something and waits for a person.
 * - `failed`: `failure` names the class and the kind.
 * - `stopped`: ended from outside before its end; `cause` says by what.
 */
export const turnResultSchema = z.strictObject({
  version: z.literal(1),
  status: z.enum(['completed', 'question', 'failed', 'stopped']),
  failure: z
    .strictObject({
      class: z.enum([
        'infrastructure',
        'agent',
        'verification',
        'authentication',
        'billing',
        'delivery',
        'policy',
      ]),
      /** A closed word for the kind: `crash`, `timeout`, `stall`, `branch-moved`, `forbidden-path`, `hook-failed` … */
      kind: z.string().max(60),
      /** One sentence for people. Never output of the agent. */
      detail: z.string().max(limits.text),
      /** False when trying again cannot help: a forbidden path, a refused push. */
      retryable: z.boolean(),
    })
    .optional(),
  cause: z.enum(['signal', 'asked', 'no-answer', 'refused']).optional(),
  question: z.string().max(limits.question).optional(),
  git: z
    .strictObject({
      baseSha: z.string().optional(),
      /** Where the branch stood when the turn began; undefined when it did not exist. */
      expectedSha: z.string().optional(),
      headSha: z.string().optional(),
      branch: z.string(),
      commits: z.number().int().nonnegative(),
      files: z.number().int().nonnegative(),
      pushed: z.boolean(),
      /** Commits that did not reach the branch were pushed here instead. */
      wipBranch: z.string().optional(),
      /** Or kept in this file, or at this address. */
      bundle: z.string().optional(),
    })
    .optional(),
  verify: shortList(verificationSchema, limits.gates),
  /** The tail of the failed gate's log, as input for the next turn; never shown elsewhere. */
  feedback: z.string().max(limits.logTail).optional(),
  usage: usageSchema.optional(),
  exitCode: z.number().int().optional(),
  /** What became of work beside the branch, such as files that were left out, in the turn program's own sentences. */
  notes: shortList(z.string().max(300), 8).optional(),
  workspace: z.string().optional(),
  /** Some of what the agent did is in the workspace and nowhere else: it could not be collected, or not be kept. */
  inWorkspaceOnly: z.boolean().optional(),
});
export type TurnResult = z.infer<typeof turnResultSchema>;

export const resultRequestSchema = z.strictObject({
  arn: z.string().min(1).max(300),
  result: turnResultSchema,
});
export type ResultRequest = z.infer<typeof resultRequestSchema>;

export const resultAnswerSchema = heartbeatAnswerSchema;
export type ResultAnswer = HeartbeatAnswer;
