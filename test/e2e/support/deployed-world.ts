import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openTick, putTickClosed } from '../../../lib/core/tick-writes.ts';
import type { Fact } from '../../../lib/core/trace.ts';
import { checkTrace } from '../../../lib/core/trace-check.ts';
import { parseTraceLine } from '../../../lib/core/trace-line.ts';
import { parseWorkflow, type Workflow } from '../../../lib/core/workflow.ts';
import { functionBundles } from '../../../scripts/function-bundles.mjs';
import { type ContainerHost, startContainerHost } from '../../support/aws/container-host.ts';
import { type FunctionName, testDeployment } from '../../support/aws/deployment.ts';
import { eventually } from '../../support/eventually.ts';
import { type AgentFields, makeHostWorld } from '../../support/host-world.ts';

const entries = fileURLToPath(new URL('../../support/aws/entries/', import.meta.url));
const turnProgram = fileURLToPath(new URL('../../../dist/turn.js', import.meta.url));

/** Bundles the functions as they are deployed, with folders as boards. */
export async function bundleWithFolders(outdir: string): Promise<void> {
  await functionBundles(outdir, (name) => `${entries}${name}.ts`);
}

export type DeployedWorld = Awaited<ReturnType<typeof deployedWorld>>;

/**
 * A deployment whose board is a folder: the bundled functions, a turn API over HTTP, and containers that fetch the turn
 * program from it and run it.
 */
export async function deployedWorld(bundles: string, agent: AgentFields = {}) {
  const machine = await makeHostWorld(agent);
  const parsed = parseWorkflow(readFileSync(machine.workflowFile, 'utf8'), 'WORKFLOW.md');
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  const { tracker } = parsed.workflow;
  const workflow = {
    ...parsed.workflow,
    tracker: { ...tracker, project: machine.board },
    repository: machine.repository,
  };
  const running = await runDeployment({ workflow, folder: machine.root, bundles });
  return {
    ...machine,
    ...running,
    end: async () => {
      await running.end();
      await machine.end();
    },
  };
}

export interface RunningOptions {
  readonly workflow: Workflow;
  /** Where containers keep their files. */
  readonly folder: string;
  /** By default those that are deployed. */
  readonly bundles?: string;
}

export type RunningDeployment = Awaited<ReturnType<typeof runDeployment>>;

/** A deployment that serves this workflow: its ledger is open, its containers run, and nothing invokes it by itself. */
export async function runDeployment({ workflow, folder, bundles }: RunningOptions) {
  const definition: Record<string, string> = {
    EVENKEEL_TURN_PROGRAM_SHA256: createHash('sha256').update(readFileSync(turnProgram)).digest('hex'),
    EVENKEEL_OUTPUT: 'logs',
  };
  const host: ContainerHost = await startContainerHost({ environment: () => definition, folder });
  const deployment = await testDeployment({
    workflows: [workflow],
    ...(bundles !== undefined && { bundles }),
    ecs: { run: host.run },
  });
  const turnApi = await deployment.serve('turn-api');
  definition.EVENKEEL_TURN_API = turnApi.url;
  await deployment.ledger.changeTick(putTickClosed('gen'));
  await deployment.ledger.changeTick(openTick('gen'));

  const lines: Record<string, unknown>[] = [];
  async function invoke(name: FunctionName, event: object) {
    const { answered, logged } = await deployment.run(name, [event]);
    lines.push(...logged);
    return answered[0];
  }

  return {
    ...deployment,
    definition,
    host,
    tick: () => invoke('reconcile', { 'detail-type': 'Scheduled Event' }),
    invoke,
    /** The events of tasks that stopped since the last time, once there is one. */
    stoppedEvents: async () => {
      const seen: object[] = [];
      await eventually(
        () => seen.push(...deployment.containers.world.takeEvents().filter(isStopped)),
        (events) => events > 0,
        60_000,
      );
      return seen;
    },
    /** Every promise that the log lines of all functions show broken. */
    brokenPromises: () => {
      const facts = [...lines, ...turnApi.logged()]
        .filter((line) => 'fact' in line)
        .map((line) => parseTraceLine(JSON.stringify(line)))
        .map((line) => ('fact' in line ? line.fact : failOver(line.problem)));
      return checkTrace(facts.sort((a: Fact, b: Fact) => a.time - b.time)).violations;
    },
    end: async () => {
      await host.stop();
      turnApi.stop();
      await deployment.dispose();
    },
  };
}

function isStopped(event: Record<string, unknown>): boolean {
  return (event.detail as { readonly lastStatus: string }).lastStatus === 'STOPPED';
}

function failOver(problem: string): never {
  throw new Error(problem);
}
