import { countHint } from '../core/tick-writes.ts';
import type { Ports } from './ports.ts';

/** All that a hint needs. */
export interface HintPorts extends Pick<Ports, 'trigger' | 'reporter' | 'clock'> {
  readonly ledger: Pick<Ports['ledger'], 'changeTick'>;
}

/**
 * Asks for an early tick, and says nothing else. The hint is counted before the tick is asked for, so that a tick that is
 * already running goes once more; one that is lost costs at most one interval.
 */
export async function receiveHint(ports: HintPorts, source: string): Promise<void> {
  const told = { time: ports.clock.now(), reason: source };
  const counted = await ports.ledger.changeTick(countHint()).catch(problemOf);
  const trouble = typeof counted === 'object' && 'problem' in counted ? counted : undefined;
  const isCounted = counted !== 'refused' && trouble === undefined;
  ports.reporter.report({ ...told, fact: 'hint', counted: isCounted, ...trouble });
  if (!isCounted) return;
  const refused = await ports.trigger.requestTick().catch(problemOf);
  if (refused !== undefined)
    ports.reporter.report({ ...told, fact: 'refused', reason: 'tick-not-asked', ...refused });
}

/** Nothing follows for who sent the hint; whoever wonders why ticks come late finds it in the trace. */
function problemOf(error: unknown): { readonly problem: string } {
  return { problem: error instanceof Error ? error.message : 'unknown' };
}
