import { resolve } from 'node:path';
import { refuseOwned } from './board-owner.ts';
import { foldersOf } from './board-place.ts';
import { type Cleanup, cleanup as gatherCleanup } from './cleanup.ts';
import { endGraceMs, endTurns, settleLeftovers } from './end-turns.ts';
import { findSharedRepositories } from './find-shared-repositories.ts';
import { findStrangers } from './find-strangers.ts';
import { findTurnFaults } from './find-turn-faults.ts';
import type { Host, HostEnd, HostEvent, HostOptions } from './host.ts';
import { type EndReason, hostEnding } from './host-ending.ts';
import { hostTick } from './host-tick.ts';
import { idleWatch } from './idle-watch.ts';
import { listen } from './listen.ts';
import { describeTurnAccess } from './machine-github.ts';
import { defaultMaxConcurrentAgents } from './machine-settings.ts';
import { type Machine, openMachine } from './open-machine.ts';
import type { ReadWorkflow } from './read-workflow.ts';
import { readWorkflows } from './served-boards.ts';
import { type TickLoop, type TickPace, tickLoop } from './tick-loop.ts';
import { traceFile } from './trace-file.ts';
import { type TurnEnds, turnEnds } from './turn-ends.ts';

type Emit = (event: HostEvent) => void;

/**
 * Serves one machine until it is stopped: the handlers that run on AWS, on an embedded store, a timer, a loopback server
 * and local processes. Throws a `DataFolderError` when the folder is in use or unusable, a `WorkflowError` when a
 * workflow file is broken, and a `BoardOwnedError` when another data folder serves a board; nothing has been made then.
 */
export async function startHost(options: HostOptions): Promise<Host> {
  const dataDir = resolve(options.dataDir);
  const workflows = await readWorkflows(options.workflows.map((file) => resolve(file)));
  await refuseOwned(foldersOf(workflows), dataDir);
  const { hintGapMs, ...usual } = usualPace(workflows);
  const intervalMs = options.intervalMs ?? usual.intervalMs;
  const emit = tellQuietly(options.onEvent);
  const cleanup = gatherCleanup();
  const trace = traceFile(dataDir, (fact) => emit({ kind: 'fact', fact }));
  cleanup.add(trace.close);
  let hint = () => {};
  try {
    const machine = await openMachine({
      ...options,
      intervalMs,
      dataDir,
      workflows,
      maxConcurrentAgents: options.maxConcurrentAgents ?? defaultMaxConcurrentAgents,
      reporter: trace,
      trigger: { requestTick: async () => hint() },
      isServing: true,
      onChange: (changed) => emit({ kind: 'workflow-changed', ...changed }),
    });
    cleanup.add(machine.store.close);
    cleanup.add(machine.owner.release);
    const { loop, ...ending } = serve(machine, { ...options, intervalMs, hintGapMs }, emit, cleanup);
    hint = loop.hint;
    const url = await listen({
      machine,
      dataDir,
      port: options.port ?? 0,
      tick: loop.runNow,
      onProblem: (message) => emit({ kind: 'warning', message }),
      cleanup,
    });
    const strangers = await findStrangers(machine);
    if (strangers !== undefined) emit({ kind: 'warning', message: strangers });
    const faulty = await describeTurnFaults(workflows);
    const shared = await findSharedRepositories(machine.boards.hosted());
    for (const message of [...describeTurnAccess(workflows), ...faulty, ...shared])
      emit({ kind: 'warning', message });
    setImmediate(loop.start);
    return { url, intervalMs, boards: machine.boards.hosted(), ...ending };
  } catch (error) {
    await cleanup.run();
    throw error;
  }
}

/** They are told, not refused: a person may be about to make the branch, and no prompt has been rendered yet for an issue. */
async function describeTurnFaults(workflows: readonly ReadWorkflow[]): Promise<readonly string[]> {
  const found = await Promise.all(workflows.map(findTurnFaults));
  return found.flatMap((faults, at) =>
    faults.map(
      ({ message }) =>
        `turns of ${workflows[at]!.file} will fail, and their cards be parked: ${message}; \`evenkeel validate\` says when it is mended`,
    ),
  );
}

/** A folder costs nothing to look at; a tracker that is elsewhere counts every request. */
function usualPace(workflows: readonly ReadWorkflow[]): TickPace {
  return foldersOf(workflows).length === workflows.length
    ? { intervalMs: 5_000, hintGapMs: 200 }
    : { intervalMs: 60_000, hintGapMs: 3_000 };
}

/** Sets ticks and the ends of turns going, and says how all of it ends. */
function serve(
  machine: Machine,
  { intervalMs, hintGapMs, untilIdle }: HostOptions & TickPace,
  emit: Emit,
  cleanup: Cleanup,
): Pick<Host, 'ended' | 'stop'> & { readonly loop: TickLoop } {
  const idle = idleWatch();
  const ends = turnEnds(machine.ports, (message) => emit({ kind: 'warning', message }));
  cleanup.add(ends.settled);
  const ending = hostEnding((reason) => end(reason, machine, { loop, ends }, emit, cleanup));
  const loop = tickLoop(
    hostTick({
      machine,
      emit,
      nextTickAt: () => loop.nextAt(),
      onReport: (report) => {
        if (idle.see(report) && untilIdle) void ending.begin({ kind: 'idle', trouble: idle.trouble() });
      },
      onFailure: ({ message }) => void ending.begin({ kind: 'failed', problem: message }),
    }),
    { intervalMs, hintGapMs },
  );
  void machine.store.failed.then(({ message }) => ending.begin({ kind: 'failed', problem: message }));
  return { loop, ended: ending.ended, stop: async () => void (await ending.begin({ kind: 'stop' })) };
}

/** How long a tick, or the ends of turns, that are at work are waited for, where there is a store to work on. */
const lastWorkMs = 10_000;

async function end(
  reason: EndReason,
  { ports }: Machine,
  { loop, ends }: { readonly loop: TickLoop; readonly ends: TurnEnds },
  emit: Emit,
  cleanup: Cleanup,
): Promise<HostEnd> {
  if (reason.kind === 'stop') ports.runner.beginClosing();
  await waitAtMost(loop.stop(), reason.kind === 'failed' ? 0 : lastWorkMs);
  let liveTurns = 0;
  if (reason.kind === 'stop') {
    const tasks = await ports.runner.list().catch(() => []);
    emit({ kind: 'stopping', liveTurns: tasks.length, graceMs: endGraceMs });
    const warn = (message: string) => emit({ kind: 'warning', message });
    liveTurns = await endTurns(ports, tasks, warn);
    await waitAtMost(ends.settled(), lastWorkMs);
    await settleLeftovers(ports, warn);
  }
  await cleanup.run();
  return reason.kind === 'stop' ? { kind: 'stopped', liveTurns } : reason;
}

async function waitAtMost(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, patience]);
  clearTimeout(timer);
}

/** Whoever listens must not break what it listens to. */
function tellQuietly(onEvent: HostOptions['onEvent']): Emit {
  return (event) => {
    try {
      onEvent(event);
    } catch {
      // What could not be shown is in the trace all the same.
    }
  };
}
