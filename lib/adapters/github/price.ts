import * as z from 'zod';

/** What was sent and charged for one board. */
export interface Tally {
  requests: number;
  points: number;
}

/** The same query, which asks for its own price as well; that is free. Other operations cannot. */
export function askForPrice(text: string): string {
  return text.replace(/^(\s*query\b[^{]*\{)/, '$1 rateLimit { cost }');
}

const pricedSchema = z.object({
  data: z.object({ rateLimit: z.object({ cost: z.number().int().nonnegative() }) }),
});

/** The points that the answer to such a query says it cost; 0 where it says nothing. */
export function priceOf(json: unknown): number {
  const priced = pricedSchema.safeParse(json);
  return priced.success ? priced.data.data.rateLimit.cost : 0;
}

/** The vendor charges at least so much for an operation that changes something, and does not say more. */
export const pointsOfMutation = 1;
