import { trackerOf } from '../../../functions/lambda/board-access.ts';
import { deployedBoard } from '../../../functions/lambda/deployed-board.ts';
import { deploymentSettings } from '../../../functions/lambda/settings.ts';
import { randomIds } from '../../adapters/runtime/random-ids.ts';
import { systemClock } from '../../adapters/runtime/system-clock.ts';
import type { Operations } from '../../controller/operations.ts';
import type { Ports, Runner } from '../../controller/ports.ts';
import { portsOperations } from '../../controller/ports-operations.ts';
import type { TickRecord } from '../../core/board-record.ts';
import type { Workflow } from '../../core/workflow.ts';
import { findPlace } from '../../host/board-place.ts';
import { findGitHubIdentity, machineGitHub } from '../../host/machine-github.ts';
import type { WriteCommand } from '../commands-for.ts';
import { harmlessLine } from '../harmless-text.ts';
import type { OpenStack } from './open-stack.ts';

export interface Asking {
  /** Who reads the boards. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Plan with these instead of those that are deployed. */
  readonly workflows?: readonly Workflow[] | undefined;
  readonly command: WriteCommand;
  /** Told what makes an answer less than whole; nobody is told twice. */
  readonly warn: (message: string) => void;
}

/**
 * The operations of a deployment in AWS, from outside: over its own ledger and tasks, with the boards read as the user.
 * They write nothing but a pause and its end; ticks are the deployment's own.
 */
export function stackOperations(stack: OpenStack, { env, workflows, command, warn }: Asking): Operations {
  const served = workflows ?? stack.deployment.workflows;
  const ports = outsidePorts(stack, served, warn);
  const operations = portsOperations(ports, () => refuse('a tick'));
  async function read<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    await needBoardAccess(served, env);
    const note = describeClosed(await stack.ledger.tick(), command);
    if (note !== undefined) warn(note);
    return ask();
  }
  return {
    ...operations,
    status: () => read(operations.status),
    plan: () => read(operations.plan),
    explain: (key, board) => read(() => operations.explain(key, board)),
  };
}

function outsidePorts(stack: OpenStack, served: readonly Workflow[], warn: Asking['warn']): Ports {
  const github = machineGitHub();
  const boards = served.map((workflow) => deployedBoard(workflow, trackerOf(workflow, github)));
  const { merged } = github.pullRequests(async () => served.map(({ tracker }) => tracker));
  const { maxConcurrentAgents } = stack.deployment;
  return {
    boards: async () => boards,
    ledger: stack.ledger,
    runner: watchedRunner(stack.runner, warn),
    trigger: { requestTick: () => refuse('an early tick') },
    webhooks: {},
    gitTokens: { mint: async () => 'none' },
    pullRequests: { quota: () => undefined, put: () => refuse('a pull request'), merged },
    workStore: { offer: async () => 'none' },
    agentKeys: { read: async () => ({}) },
    reporter: { report: () => {} },
    clock: systemClock(),
    ids: randomIds(),
    seal: { ticket: () => '', digest: () => '' },
    settings: deploymentSettings({ maxConcurrentAgents, remainingMs: 60_000 }),
  };
}

/** A tick plans around what it cannot see and looks again; whoever asks once has to know of it. */
function watchedRunner({ describe, list }: OpenStack['runner'], warn: Asking['warn']): Runner {
  const told = async <Answer>(look: Promise<Answer>): Promise<Answer> => {
    try {
      return await look;
    } catch (error) {
      warn(`What runs could not be seen: ${harmlessLine((error as Error).message)}`);
      throw error;
    }
  };
  return {
    describe: (arns) => told(describe(arns)),
    list: () => told(list()),
    launch: () => refuse('a launch'),
    stop: () => refuse('a stop'),
  };
}

function refuse(what: string): Promise<never> {
  return Promise.reject(new Error(`${what} is the deployment's own, and cannot be asked for from outside`));
}

/** Without it every board would only be unreadable. */
async function needBoardAccess(workflows: readonly Workflow[], env: Asking['env']): Promise<void> {
  if (workflows.length > 0 && findGitHubIdentity(env) === undefined) {
    const projects = workflows.map(({ tracker }) => tracker.project).join(', ');
    throw new Error(
      `GITHUB_TOKEN is not set: the deployment's own access stays in AWS, and the boards are read as you. Set it to a token that may read ${projects}; nothing is written with it.`,
    );
  }
  for (const workflow of workflows) {
    const found = await findPlace(workflow, '.');
    if ('problems' in found) throw new Error(found.problems.map(({ message }) => message).join('; '));
  }
}

function describeClosed(tick: TickRecord | undefined, command: WriteCommand): string | undefined {
  if (tick === undefined)
    return `The ledger has no tick record, so that nothing starts: after a lost table, \`${command('bootstrap')}\` puts it.`;
  if (tick.epoch !== undefined) return undefined;
  return 'The ledger is closed, so that nothing starts yet: ticks open it once nothing of an older one can be on its way, after about six minutes.';
}
