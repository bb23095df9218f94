import type { Logger } from '@aws-lambda-powertools/logger';
import type { Reporter } from '../../lib/controller/ports.ts';
import { formatTraceLine } from '../../lib/core/trace-line.ts';

/** Writes facts as log lines that `evenkeel check-trace` reads. Never throws. */
export function logReporter(logger: Pick<Logger, 'info'>): Reporter {
  return {
    report: (fact) => logger.info(fact.fact, JSON.parse(formatTraceLine(fact)) as Record<string, string>),
  };
}
