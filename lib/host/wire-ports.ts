import { type LocalProcessRunner, localProcess } from '../adapters/local-process/local-process.ts';
import { randomIds } from '../adapters/runtime/random-ids.ts';
import { hashSeal } from '../adapters/secrets/hash-seal.ts';
import type { Clock, Ledger, Ports, Reporter, TickTrigger } from '../controller/ports.ts';
import type { Deployment } from './deployment-file.ts';
import { hostClock } from './host-clock.ts';
import { hostFilePath } from './host-file.ts';
import { machineGitHub } from './machine-github.ts';
import { machineSettings } from './machine-settings.ts';
import type { ServedBoards } from './served-boards.ts';
import { turnProgramPath } from './turn-program.ts';
import { webhookSources } from './webhook-sources.ts';

export interface Wiring {
  readonly dataDir: string;
  readonly deployment: Deployment;
  readonly ledger: Ledger;
  readonly boards: ServedBoards['boards'];
  readonly reporter: Reporter;
  readonly trigger: TickTrigger;
  readonly intervalMs: number;
  readonly maxConcurrentAgents: number;
  /** How long a lost ledger is kept closed. */
  readonly reopenAfterMs?: number;
  readonly passEnvironment?: readonly string[] | undefined;
  readonly turnProgram?: string | undefined;
}

export interface MachinePorts extends Ports {
  readonly runner: LocalProcessRunner;
}

/** The ports of one machine. */
export async function wirePorts(wiring: Wiring): Promise<MachinePorts> {
  const { ledger, deployment, boards, reporter, trigger } = wiring;
  const clock = await continueClock(ledger);
  const github = machineGitHub();
  const addresses = async () => (await boards()).map(({ workflow }) => workflow.tracker);
  return {
    boards,
    ledger,
    runner: wireRunner(wiring, clock),
    trigger,
    webhooks: webhookSources(deployment.webhookSecret, process.env),
    gitTokens: github.gitTokens(addresses),
    pullRequests: github.pullRequests(addresses),
    // The folders of turns stay.
    workStore: { offer: async () => 'none' },
    // Agents get what this user has, as far as `--pass-env` names it.
    agentKeys: { read: async () => ({}) },
    reporter,
    clock,
    ids: randomIds(),
    seal: hashSeal(deployment.ticketSecret),
    settings: machineSettings({ ...wiring, servedSince: clock.now() }),
  };
}

/** Goes on from the last stamp that was kept, also where the wall clock was set back since. */
async function continueClock(ledger: Ledger): Promise<Clock> {
  const tick = await ledger.tick();
  return hostClock(
    Math.max(0, tick?.stamp ?? 0, tick?.startedAt ?? 0, tick?.finishedAt ?? 0, tick?.since ?? 0),
  );
}

function wireRunner(
  { dataDir, deployment, passEnvironment, turnProgram }: Wiring,
  clock: Clock,
): LocalProcessRunner {
  return localProcess({
    dataDir,
    deployment: deployment.deployment,
    program: [process.execPath, turnProgram ?? turnProgramPath()],
    hostFile: hostFilePath(dataDir),
    clock,
    ...(passEnvironment === undefined ? {} : { passEnvironment }),
  });
}
