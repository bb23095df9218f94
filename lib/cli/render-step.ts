import * as z from 'zod';
import { harmlessLine } from './harmless-text.ts';
import { clockTime } from './time-text.ts';

const stepSchema = z
  .object({ time: z.iso.datetime(), message: z.string(), turnId: z.string().optional() })
  .catchall(z.union([z.string(), z.number(), z.boolean()]));

/** A line of the turn program for people; a line in any other form as it is. */
export function renderStep(line: string): string {
  const parsed = stepSchema.safeParse(parseJson(line));
  if (!parsed.success) return harmlessLine(line);
  const { time, message, turnId: _, ...facts } = parsed.data;
  const rest = Object.entries(facts).map(([name, value]) => `${name} ${value}`);
  const tail = rest.length === 0 ? '' : ` (${rest.join(', ')})`;
  return harmlessLine(`${clockTime(Date.parse(time))}  ${message}${tail}`);
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
