import * as z from 'zod';
import { type Fact, factKinds } from './trace.ts';

const instant = z.union([
  z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)),
  z.number().nonnegative(),
]);

/** A fact as it is printed: times are ISO strings there, milliseconds inside. */
const factSchema = z
  .object({
    time: instant,
    fact: z.enum(factKinds),
    board: z.string().optional(),
    issue: z.string().optional(),
    key: z.string().optional(),
    turnId: z.string().optional(),
    attempt: z.number().int().nonnegative().optional(),
    epoch: z.number().int().nonnegative().optional(),
    actor: z.string().optional(),
    reason: z.string().optional(),
    until: instant.optional(),
  })
  .catchall(z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]));

/** A fact as one line, without a line end. Times become ISO strings in UTC; details that are undefined are left out. */
export function formatTraceLine({ time, fact, until, ...details }: Fact): string {
  const due = typeof until === 'number' ? new Date(until).toISOString() : until;
  return JSON.stringify({ time: new Date(time).toISOString(), fact, ...details, until: due });
}

/** The fact of one printed line, or what is wrong with the line. */
export function parseTraceLine(text: string): { readonly fact: Fact } | { readonly problem: string } {
  let line: unknown;
  try {
    line = JSON.parse(text);
  } catch {
    return { problem: 'not a line of JSON' };
  }
  const parsed = factSchema.safeParse(line);
  if (parsed.success) return { fact: parsed.data };
  const { path, message } = parsed.error.issues[0]!;
  return { problem: `${path.join('.') || 'the line'}: ${message}` };
}
