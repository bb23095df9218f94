import * as z from 'zod';
import { limits } from '../core/turn-protocol.ts';
import { readSmallFile } from './read-small-file.ts';

/** A question for a person, if the agent asked one in its report. */
export type SelfReport = { readonly question: string } | undefined;

const longestReportBytes = 64 * 1024;

/**
 * Reads the agent's own report, which it may write or not. It can only ask: that the work is done is judged by the work. A
 * file of another form says nothing.
 */
export async function readSelfReport(path: string): Promise<SelfReport> {
  const text = await readSmallFile(path, longestReportBytes);
  const report = reportSchema.safeParse(parseJson(text));
  if (!report.success || report.data.status === 'done') return undefined;
  const question = report.data.question?.replace(/[^\P{Cc}\n\t]/gu, '').trim();
  return {
    question: (question || 'The agent is blocked and did not say by what.').slice(0, limits.question),
  };
}

const reportSchema = z.object({
  status: z.enum(['done', 'question', 'blocked']),
  question: z.string().optional(),
});

function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
