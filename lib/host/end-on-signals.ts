import type { Host } from './host.ts';

/**
 * Ends the host cleanly at the first Ctrl-C or SIGTERM, and the process at the second one, at once: turns live on then
 * and are adopted at the next start. Answers how to stop listening.
 */
export function endOnSignals(host: Pick<Host, 'stop'>): () => void {
  let asked = false;
  const end = () => {
    if (asked) process.exit(1);
    asked = true;
    void host.stop();
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, end);
  return () => {
    for (const signal of signals) process.off(signal, end);
  };
}
