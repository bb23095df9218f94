import * as z from 'zod';
import type { TickRecord } from '../../controller/ports.ts';
import { instant, item, text } from './stored-item.ts';

const summary = item<NonNullable<TickRecord['summary']>>({
  startedAt: instant,
  finishedAt: instant,
  rounds: z.number(),
  complete: z.boolean(),
  decisions: z.record(text, z.number()),
  problems: z.array(text),
  inHandoff: z.number(),
  parkedInHandoff: z.number().default(0),
  waits: z.array(z.string()),
  liveLeases: z.number(),
  openWrites: z.number(),
  stuckLeases: z.number(),
  cost: z
    .looseObject({ requests: z.number(), points: z.number(), remaining: z.number().optional() })
    .optional(),
});

export const tickSchema = item<TickRecord>({
  v: z.number(),
  gen: text.min(1),
  epoch: z.number().optional(),
  since: instant.optional(),
  done: z.number().optional(),
  dirty: z.number().optional(),
  seen: z.number().optional(),
  stamp: instant.optional(),
  startedAt: instant.optional(),
  finishedAt: instant.optional(),
  cursor: z.number().optional(),
  sweptAt: instant.optional(),
  // For people only: one that another version wrote must not make the record of all ticks unreadable.
  summary: summary.optional().catch(undefined),
});
