import type { Instant } from '../../core/issue.ts';

/** For as long, what came along answers the questions that follow. */
const aheadMs = 5_000;

/** Answers that came before they were asked for, each for one question. */
export function keepAhead(now: () => Instant) {
  const kept = new Map<string, { readonly at: Instant; readonly answer: unknown }>();
  return {
    put: (question: readonly string[], answer: unknown) =>
      kept.set(JSON.stringify(question), { at: now(), answer }),
    take<Answer>(question: readonly string[]): Answer | undefined {
      const key = JSON.stringify(question);
      const found = kept.get(key);
      kept.delete(key);
      return found !== undefined && found.at + aheadMs > now() ? (found.answer as Answer) : undefined;
    },
  };
}
