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
  const counted = await ports.ledger.changeTick(countHint()).catch(() => 'refused' as const);
  ports.reporter.report({
    time: ports.clock.now(),
    fact: 'hint',
    reason: source,
    counted: counted !== 'refused',
  });
  if (counted !== 'refused') await ports.trigger.requestTick().catch(() => undefined);
}
