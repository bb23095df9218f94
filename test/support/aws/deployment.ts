import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  type AttributeValue,
  DeleteTableCommand,
  PutItemCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { execa } from 'execa';
import type {
  ReconcileEnvironment,
  TurnApiEnvironment,
  TurnEndEnvironment,
  WebhookEnvironment,
} from '../../../functions/environment.ts';
import { dynamodbLedger } from '../../../lib/adapters/dynamodb/dynamodb-ledger.ts';
import { ensureTable } from '../../../lib/adapters/dynamodb/ensure-table.ts';
import type { Workflow } from '../../../lib/core/workflow.ts';
import { startDynalite } from '../dynalite-server.ts';
import { type EcsServerOptions, startEcsServer, testCluster, testDefinition } from '../ecs/ecs-server.ts';
import { eventually } from '../eventually.ts';
import { startBucketServer } from '../s3/bucket-server.ts';
import { startJsonService } from './json-service.ts';

const common = { EVENKEEL_TABLE: 'ledger', EVENKEEL_SECRET: 'evenkeel/test' };
const hints = { EVENKEEL_EVENT_BUS: 'hints' };
const cluster = { EVENKEEL_CLUSTER: testCluster };

/** What the stack tells each function. */
const environments = {
  reconcile: {
    ...common,
    ...hints,
    ...cluster,
    EVENKEEL_DEPLOYMENT: 'test',
    EVENKEEL_TASK_DEFINITION: testDefinition,
    EVENKEEL_CONTAINER: 'turn',
    EVENKEEL_SUBNETS: 'subnet-1,subnet-2',
    EVENKEEL_SECURITY_GROUPS: 'sg-1',
    EVENKEEL_PUBLIC_IP: 'ENABLED',
    EVENKEEL_MAX_CONCURRENT_AGENTS: '3',
  } satisfies ReconcileEnvironment,
  'turn-end': { ...common, ...hints, ...cluster } satisfies TurnEndEnvironment,
  'turn-api': { ...common, EVENKEEL_WORK_BUCKET: 'kept' } satisfies TurnApiEnvironment,
  webhook: { ...common, ...hints } satisfies WebhookEnvironment,
} as const;

export type FunctionName = keyof typeof environments;

export interface Answered {
  readonly answer?: unknown;
  readonly error?: string;
}

export interface DeploymentOptions {
  readonly workflows?: readonly Workflow[];
  /** Where the bundles are; by default those that are deployed. */
  readonly bundles?: string;
  readonly ecs?: Partial<EcsServerOptions>;
}

const ownBundles = fileURLToPath(new URL('../../../dist/functions', import.meta.url));
const turnProgram = fileURLToPath(new URL('../../../dist/turn.js', import.meta.url));
const invoke = fileURLToPath(new URL('./invoke-function.mjs', import.meta.url));
const serve = fileURLToPath(new URL('./serve-function.mjs', import.meta.url));

type Environment = Readonly<Record<string, string>>;
type Backup = readonly Record<string, AttributeValue>[];

export type TestDeployment = Awaited<ReturnType<typeof testDeployment>>;

/**
 * A deployment on this machine: the bundled functions in processes of their own, with their files beside them, and a server
 * for each service that they speak to.
 */
export async function testDeployment({
  workflows = [],
  bundles = ownBundles,
  ecs = {},
}: DeploymentOptions = {}) {
  const folder = await layOut(bundles, workflows);
  const secret: Record<string, unknown> = { ticketSecret: 't'.repeat(64), githubWebhookSecret: 'hook' };
  const dynalite = await startDynalite();
  await ensureTable(dynalite.client, 'ledger');
  const containers = await startEcsServer(ecs);
  const secrets = await startJsonService({
    GetSecretValue: () => ({ SecretString: JSON.stringify(secret) }),
  });
  const bus = await startJsonService({
    PutEvents: () => ({ FailedEntryCount: 0, Entries: [{ EventId: '1' }] }),
  });
  const kept = await startBucketServer();
  const processes = functionProcesses(folder, {
    AWS_ENDPOINT_URL_S3: kept.endpoint,
    AWS_ENDPOINT_URL_DYNAMODB: dynalite.endpoint,
    AWS_ENDPOINT_URL_ECS: containers.endpoint,
    AWS_ENDPOINT_URL_EVENTBRIDGE: bus.endpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.endpoint,
  });
  return {
    ...processes,
    folder,
    secret,
    secrets,
    bus,
    kept,
    containers,
    /** Deletes the table and makes it anew, as a person would after a loss. */
    loseTable: async () => {
      await dynalite.client.send(new DeleteTableCommand({ TableName: 'ledger' }));
      await ensureTable(dynalite.client, 'ledger');
    },
    /** Everything that the table holds now. */
    backUp: async (table = 'ledger'): Promise<Backup> => {
      const { Items = [] } = await dynalite.client.send(new ScanCommand({ TableName: table }));
      return Items;
    },
    /** Makes a table out of a backup; answers its ledger. Under the name of the deployment's own it takes that one's place. */
    restore: async (backup: Backup, table = 'ledger') => {
      await ensureTable(dynalite.client, table);
      for (const item of backup)
        await dynalite.client.send(new PutItemCommand({ TableName: table, Item: item }));
      return dynamodbLedger({ client: dynalite.client, table });
    },
    /** From now on the functions have these workflows, as after a deployment. */
    deploy: (next: readonly Workflow[]) => layWorkflows(folder, next),
    ledger: dynamodbLedger({ client: dynalite.client, table: 'ledger' }),
    dispose: async () => {
      await Promise.all([dynalite.stop(), containers.stop(), secrets.stop(), bus.stop(), kept.stop()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The functions as they are deployed: each bundle with its files beside it. */
async function layOut(bundles: string, workflows: readonly Workflow[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'evenkeel-deployment-'));
  await cp(bundles, folder, { recursive: true });
  await layWorkflows(folder, workflows);
  await cp(turnProgram, join(folder, 'turn-api', 'turn.mjs'));
  return folder;
}

async function layWorkflows(folder: string, workflows: readonly Workflow[]): Promise<void> {
  for (const name of Object.keys(environments))
    await writeFile(join(folder, name, 'workflows.json'), JSON.stringify(workflows));
}

function functionProcesses(folder: string, endpoints: Environment) {
  function start(name: FunctionName, program: string, args: readonly string[], env: Environment) {
    const bundle = pathToFileURL(join(folder, name, 'index.mjs')).href;
    const access = { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };
    return execa(process.execPath, ['--no-warnings', program, bundle, ...args], {
      extendEnv: false,
      env: { PATH: process.env.PATH ?? '', ...access, ...endpoints, ...environments[name], ...env },
    });
  }

  return {
    /** Invokes a function once for each event, in one process, and waits for that to end by itself. */
    async run(name: FunctionName, events: readonly object[], env: Environment = {}) {
      const texts = events.map((event) => JSON.stringify(event));
      const { stdout, stderr } = await start(name, invoke, texts, env);
      const output = readOutput(stdout);
      return { ...output, text: `${output.text}\n${stderr}` };
    },
    /** Serves a function over HTTP until it is stopped. */
    async serve(name: FunctionName) {
      const served = start(name, serve, [], {});
      served.catch(() => {});
      let stdout = '';
      served.stdout.on('data', (chunk: Buffer) => {
        stdout += chunk.toString('utf8');
      });
      const port = await eventually(
        () => /^listening (\d+)$/m.exec(stdout)?.[1],
        (found) => found !== undefined,
      );
      return {
        url: `http://127.0.0.1:${port}`,
        logged: () => readOutput(stdout.replace(/^listening .*$/m, '')).logged,
        stop: () => served.kill(),
      };
    },
  };
}

/** What it answered, event by event, and the lines that it logged. */
function readOutput(stdout: string) {
  const lines = stdout.split('\n').filter((line) => line !== '');
  const answers = lines.filter((line) => line.startsWith('answered '));
  return {
    answered: answers.map((line) => JSON.parse(line.slice('answered '.length)) as Answered),
    logged: lines
      .filter((line) => !line.startsWith('answered '))
      .map((line) => JSON.parse(line) as Record<string, unknown>),
    text: stdout,
  };
}
