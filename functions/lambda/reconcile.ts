/**
 * The tick on AWS: `functions/reconcile.ts` with the adapters of a deployment. Triggered by the rule of every minute and by
 * the event that asks for an early tick. One that was asked for waits a little, so that a burst of hints becomes one tick.
 */
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { ecsClient } from '../../lib/adapters/fargate/ecs-client.ts';
import { fargate } from '../../lib/adapters/fargate/fargate.ts';
import { hashSeal } from '../../lib/adapters/secrets/hash-seal.ts';
import type { Reporter, Runner } from '../../lib/controller/ports.ts';
import type { TickReport } from '../../lib/controller/reconcile.ts';
import { type ReconcileValues, readEnvironment, reconcileEnvironmentSchema } from '../environment.ts';
import { isTickRequest, reconcileHandler, TickFailedError } from '../reconcile.ts';
import { deployedBoardAccess, type OpenBoardAccess } from './board-access.ts';
import { lambdaHandler, logger, once } from './lambda-handler.ts';
import { measureTick } from './measure-tick.ts';
import { deploymentSettings } from './settings.ts';
import { wireBoards } from './wire-boards.ts';
import { hintPauseMs, type Wired, wireTrigger } from './wiring.ts';

export const reconcileLambda = (openAccess: OpenBoardAccess) => {
  const open = once(() => openReconcile(openAccess));
  return lambdaHandler(async (event: unknown, context): Promise<TickReport['kind']> => {
    const { metrics, wired, maxConcurrentAgents, ...ports } = open();
    if (isTickRequest(event)) await wired.clock.sleep(hintPauseMs);
    const alarms: (string | undefined)[] = [];
    const handle = reconcileHandler({
      ...ports,
      ...wired,
      reporter: alsoTo(wired.reporter, alarms),
      seal: hashSeal((await wired.secrets.current()).ticketSecret),
      settings: deploymentSettings({ maxConcurrentAgents, remainingMs: context.getRemainingTimeInMillis() }),
    });
    const measure = (report: TickReport) => publish(metrics, measureTick(report, alarms));
    try {
      const report = await handle(event);
      measure(report);
      // No fact of a turn says it, and somebody will look here for why nothing starts.
      if (report.kind === 'closed' && !report.opened)
        logger.info('the ledger is closed', { detail: report.detail });
      return report.kind;
    } catch (error) {
      if (error instanceof TickFailedError) measure(error.report);
      throw error;
    }
  });
};

export const handler = reconcileLambda(deployedBoardAccess);

function openReconcile(openAccess: OpenBoardAccess) {
  const environment = readEnvironment(reconcileEnvironmentSchema, process.env);
  const wired = wireBoards(openAccess, environment);
  return {
    wired,
    metrics: new Metrics({ namespace: 'Evenkeel', serviceName: environment.EVENKEEL_DEPLOYMENT }),
    maxConcurrentAgents: environment.EVENKEEL_MAX_CONCURRENT_AGENTS,
    runner: openRunner(environment, wired),
    trigger: wireTrigger(wired.clock, environment),
  };
}

function openRunner(environment: ReconcileValues, { clock }: Wired): Runner {
  return fargate({
    client: ecsClient({ attempts: 2 }),
    launcher: ecsClient({ attempts: 1 }),
    cluster: environment.EVENKEEL_CLUSTER,
    target: {
      taskDefinition: environment.EVENKEEL_TASK_DEFINITION,
      container: environment.EVENKEEL_CONTAINER,
      subnets: environment.EVENKEEL_SUBNETS,
      securityGroups: environment.EVENKEEL_SECURITY_GROUPS,
      publicIp: environment.EVENKEEL_PUBLIC_IP,
    },
    clock,
  });
}

/** The reasons of alarms are measured as well. */
function alsoTo(reporter: Reporter, alarms: (string | undefined)[]): Reporter {
  return {
    report: (fact) => {
      reporter.report(fact);
      if (fact.fact === 'alarm') alarms.push(fact.reason);
    },
  };
}

function publish(metrics: Metrics, measures: ReturnType<typeof measureTick>): void {
  for (const [name, value] of Object.entries(measures)) metrics.addMetric(name, MetricUnit.Count, value);
  metrics.publishStoredMetrics();
}
