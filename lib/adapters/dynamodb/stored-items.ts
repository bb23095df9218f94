import * as z from 'zod';
import type { BoardRecord, TurnRecord } from '../../controller/ports.ts';
import { frozenWorkflowSchema } from '../../core/frozen-workflow.ts';
import { type Evidence, type Lease, type Park, phases, type Transition } from '../../core/lease.ts';
import { failureClasses, type SettlementRecord } from '../../core/settle.ts';
import { turnResultSchema } from '../../core/turn-protocol.ts';
import { instant, item, text } from './stored-item.ts';

const park = item<Park>({ reason: text, since: instant, detail: text, toResume: text });

const evidence = item<Evidence>({
  arn: text,
  at: instant,
  exitCode: z.number().optional(),
  signal: text.optional(),
  cause: z.enum(['exit', 'platform', 'gone', 'unknown']),
  detail: text,
  asked: z.boolean().optional(),
  result: turnResultSchema.optional(),
});

const transition = item<Transition>({
  from: z.enum(['none', ...phases]),
  to: z.enum(phases),
  at: instant,
  actor: text,
  reason: text,
  evidence: text.optional(),
});

const pending = item<NonNullable<Lease['pending']>>({
  turnId: text.optional(),
  to: text,
  from: text.optional(),
  by: text,
  seenAt: instant.optional(),
});

const counters = item<Lease['counters']>({
  agent: z.number(),
  verification: z.number(),
  delivery: z.number(),
  policy: z.number(),
  noProgress: z.number(),
  // Items of before it was counted do not have it.
  infrastructure: z.number().default(0),
});

const spendDay = z.looseObject({ day: text, usd: z.number() });

export const leaseSchema = item<Omit<Lease, 'unreadable'>>({
  board: text,
  issueId: text,
  key: text,
  v: z.number(),
  pv: z.number(),
  phase: z.enum(phases),
  turnId: text.optional(),
  attempt: z.number(),
  epoch: z.number().optional(),
  startedFrom: text.optional(),
  capStates: z.array(text).optional(),
  claimedAt: instant.optional(),
  markedAt: instant.optional(),
  startedAt: instant.optional(),
  launchArn: text.optional(),
  liveArn: text.optional(),
  boot: text.optional(),
  hb: z.number().optional(),
  hbSeen: z.number().optional(),
  hbSeenAt: instant.optional(),
  progress: z.number().optional(),
  progressAt: instant.optional(),
  stop: z.looseObject({ reason: text, at: instant, detail: text }).optional(),
  evidence: evidence.optional(),
  endedAt: instant.optional(),
  ender: text.optional(),
  result: turnResultSchema.optional(),
  transitions: z.array(transition),
  goneSince: instant.optional(),
  finishedSince: instant.optional(),
  missing: z.looseObject({ since: instant, count: z.number(), hb: z.number(), lastAt: instant }).optional(),
  pending: pending.optional(),
  seenState: text.optional(),
  writtenState: text.optional(),
  counters,
  turns: z.number(),
  spendUsd: z.number(),
  spendTokens: z.number(),
  unknownUsageTurns: z.number(),
  spendDay: spendDay.optional(),
  nextAt: instant.optional(),
  retryClass: text.optional(),
  parked: park.optional(),
  feedback: text.optional(),
  commentRef: text.optional(),
});

const contract = item<NonNullable<BoardRecord['contract']>>({
  policyHash: text,
  states: z.array(z.looseObject({ id: text, name: text })),
  active: z.array(text),
  inProgress: text.optional(),
  handoff: text.optional(),
  terminal: z.array(text),
  merged: text.optional(),
});

export const boardSchema = item<BoardRecord>({
  board: text,
  v: z.number(),
  paused: z.looseObject({ since: instant }).optional(),
  breakers: z
    .record(text, z.looseObject({ until: instant, tries: z.number(), reason: text, turnId: text.optional() }))
    .optional(),
  contract: contract.optional(),
  quotaResetAt: instant.optional(),
  spendDay: spendDay.optional(),
});

const issue = item<TurnRecord['issue']>({
  id: text,
  key: text,
  title: text,
  description: text,
  url: text.optional(),
  state: text.optional(),
  conflictingStates: z.array(text),
  closed: z.boolean(),
  labels: z.array(text),
  priority: z.number().optional(),
  blockers: z.array(z.looseObject({ key: text, open: z.union([z.boolean(), z.literal('unknown')]) })),
  // Items of before they were kept do not have them.
  assignees: z.array(text).default([]),
  createdAt: instant.optional(),
  movedBy: text,
  trusted: z.union([z.boolean(), z.literal('unknown')]),
});

export const turnSchema = item<TurnRecord>({
  turnId: text,
  board: text,
  attempt: z.number(),
  capStates: z.array(text),
  issue,
  workflow: frozenWorkflowSchema,
  repository: text,
  feedback: text.optional(),
  claimedAt: instant,
});

const pullRequest = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.enum(['open', 'merged', 'closed']), number: z.number(), url: text }),
  z.looseObject({ kind: z.literal('refused'), problem: text }),
]);

export const historySchema = item<SettlementRecord>({
  board: text,
  issueId: text,
  key: text,
  turnId: text,
  attempt: z.number(),
  outcome: z.enum(['handed-off', 'retry', 'recheck', 'parked', 'released']),
  failureClass: z.enum(failureClasses).optional(),
  reason: text,
  nextAt: instant.optional(),
  parked: park.optional(),
  state: text.optional(),
  policyHash: text.optional(),
  transitions: z.array(transition),
  result: turnResultSchema.optional(),
  pullRequest: pullRequest.optional(),
  arn: text.optional(),
  startedAt: instant.optional(),
  endedAt: instant,
});
