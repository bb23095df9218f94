import type { MachinePorts } from './wire-ports.ts';

const hourMs = 3_600_000;
/** How long the workspace and the logs of a turn that has ended are kept. */
const keepMs = 72 * hourMs;

/** Answers a function for every tick: once an hour it removes the folders of turns that ended long ago. */
export function turnFolderSweep({ ledger, runner, clock }: MachinePorts): () => Promise<readonly string[]> {
  let dueAt = clock.now();
  return async () => {
    if (clock.now() < dueAt) return [];
    dueAt = clock.now() + hourMs;
    const tick = await ledger.tick();
    if (tick?.epoch === undefined) return [];
    const leases = await ledger.leases(tick.gen);
    // What a parked issue's turn left is what its person looks at.
    const needed = new Set(
      leases
        .filter((lease) => lease.phase !== 'idle' || lease.parked !== undefined)
        .map(({ turnId }) => turnId),
    );
    const { problems } = await runner.sweepFolders({
      keep: (turnId) => needed.has(turnId),
      olderThanMs: keepMs,
    });
    return problems;
  };
}
