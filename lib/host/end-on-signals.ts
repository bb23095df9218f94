import type { Host } from './host.ts';

/**
 * Ends the host cleanly at the first Ctrl-C, SIGTERM or SIGHUP (a closed terminal), and the process at the next one, at once:
 * turns live on then and are adopted at the next start. One key press may come twice, from the terminal and from npm, which
 * passes it on; so what follows within a second is the same one. `onLeave` comes right before that.
 * Answers how to stop listening.
 */
export function endOnSignals(host: Pick<Host, 'stop'>, onLeave: () => void = () => {}): () => void {
  let askedAt: number | undefined;
  const end = () => {
    const now = performance.now();
    if (askedAt === undefined) {
      askedAt = now;
      void host.stop();
    } else if (now - askedAt > sameKeyMs) {
      onLeave();
      process.exit(1);
    }
  };
  const hangUp = () => {
    process.off('exit', dieOfHangUp).on('exit', dieOfHangUp);
    end();
  };
  const listeners = { SIGINT: end, SIGTERM: end, SIGHUP: hangUp };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, listeners[signal]);
  return () => {
    for (const signal of signals) process.off(signal, listeners[signal]);
  };
}

/** Node aborts, and may leave a core file, when it exits without the terminal that it had; dying of the signal does not. */
function dieOfHangUp(): void {
  process.removeAllListeners('SIGHUP');
  process.kill(process.pid, 'SIGHUP');
}

const sameKeyMs = 1_000;
