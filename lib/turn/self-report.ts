import { lstat } from 'node:fs/promises';
import * as z from 'zod';
import { limits, type TurnResult } from '../core/turn-protocol.ts';
import { readSmallFile } from './read-small-file.ts';

/** What the agent said of itself. */
export interface SelfReport {
  /** For a person, if it asked one or is blocked. */
  readonly question?: string;
  /** What it spent, if it said so. */
  readonly usage?: TurnResult['usage'];
  /** Why its report, or a part of it, was not taken; never a word of the report. */
  readonly problem?: string;
}

const longestReportBytes = 64 * 1024;

/**
 * Reads the agent's own report, which it may write or not. It can only ask, and tell what it spent: that the work is done
 * is judged by the work. Of a file of another form, or of another owner, only the problem is told.
 */
export async function readSelfReport(path: string, owner?: number): Promise<SelfReport> {
  const text = await readSmallFile(path, longestReportBytes, owner);
  if (text === undefined)
    return (await exists(path)) ? { problem: 'it is no plain file of up to 64 KB' } : {};
  const report = reportSchema.safeParse(parseJson(text));
  if (!report.success) return { problem: describe(report.error) };
  const { status, question } = report.data;
  return {
    ...(status === 'done' ? {} : { question: writeQuestion(question) }),
    ...takeUsage(report.data.usage),
  };
}

const reportSchema = z.object(
  {
    status: z.enum(['done', 'question', 'blocked'], 'must be done, question or blocked'),
    question: z.string('must be a text').optional(),
    usage: z.unknown().optional(),
  },
  'it is no JSON object',
);

/** Far above what a turn can spend, and what a ledger can still add up. */
const most = { usd: 1_000_000, tokens: 1_000_000_000_000 } as const;

const usageSchema = z.object(
  {
    usd: z
      .number('must be a number')
      .nonnegative('must not be negative')
      .max(most.usd, `must be at most ${most.usd}`)
      .transform((usd) => Math.round(usd * 1e6) / 1e6)
      .optional(),
    tokens: z
      .int('must be a whole number')
      .nonnegative('must not be negative')
      .max(most.tokens, `must be at most ${most.tokens}`)
      .optional(),
  },
  'must be an object',
);

/** A usage that cannot be understood takes no question away. One without a number is unknown, which is not zero. */
function takeUsage(told: unknown): Pick<SelfReport, 'usage' | 'problem'> {
  if (told === undefined) return {};
  const usage = z.object({ usage: usageSchema }).safeParse({ usage: told });
  if (!usage.success) return { problem: describe(usage.error) };
  const { usd, tokens } = usage.data.usage;
  if (usd === undefined && tokens === undefined) return { problem: 'usage must have usd or tokens' };
  return { usage: usage.data.usage };
}

function writeQuestion(text: string | undefined): string {
  const question = text?.replace(/[^\P{Cc}\n\t]/gu, '').trim();
  return (question || 'The agent is blocked and did not say by what.').slice(0, limits.question);
}

/** Fields and words are the schema's own, so that nothing of the report is quoted. */
function describe({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => [...path.map(String), message].join(' ')).join('; ');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
