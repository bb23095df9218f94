import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { dynamodbLedger } from '../../../lib/adapters/dynamodb/dynamodb-ledger.ts';
import { ensureTable } from '../../../lib/adapters/dynamodb/ensure-table.ts';
import { overridesOf } from '../../../lib/adapters/fargate/task-facts.ts';
import { runProgram } from '../../../lib/cli/run-program.ts';
import type { Arn, BoardId, IssueId, IssueKey, StateName, TurnId } from '../../../lib/core/issue.ts';
import { unclaimedLease } from '../../../lib/core/lease.ts';
import { openTick, putTickClosed } from '../../../lib/core/tick-writes.ts';
import { describeDeployment } from '../../../lib/stack/describe-deployment.ts';
import type { Evenkeel } from '../../../lib/stack/evenkeel.ts';
import { startDynalite } from '../dynalite-server.ts';
import { startEcsServer, testCluster, testDefinition } from '../ecs/ecs-server.ts';
import type { EcsTask } from '../ecs/ecs-task.ts';
import { makeLabelWorld } from '../github/label-world.ts';
import { aChange } from '../ledger-records.ts';
import { type CliResult, runCli } from '../run-cli.ts';
import { deployableWorkflow, evenkeelStack, templateOf } from '../stack-world.ts';
import { startAlarms } from './alarm-server.ts';
import { type DescribedStack, startCloudformation } from './cloudformation-server.ts';
import { startLogs } from './log-server.ts';

export const askedTable = 'Keel-Ledger-1';
export const askedLogs = 'Keel-TurnLogs-1';

export type AskedStack = Awaited<ReturnType<typeof askedStack>>;

/**
 * A deployment in an AWS account on this machine, for whoever asks it from outside: a stack as it is synthesised, its
 * table, its tasks and their logs, and its board at a GitHub server.
 */
export async function askedStack() {
  const cwd = await mkdtemp(join(tmpdir(), 'asked-'));
  const github = await makeLabelWorld();
  const dynalite = await startDynalite();
  await ensureTable(dynalite.client, askedTable);
  const ledger = dynamodbLedger({ client: dynalite.client, table: askedTable });
  const [tasks, cloudformation, logs, alarms] = await Promise.all([
    startEcsServer(),
    startCloudformation(),
    startLogs(),
    startAlarms(),
  ]);
  const board = `github:${new URL(github.server.endpoint).host}/acme/web` as BoardId;
  cloudformation.stacks.set('keel', deployed(github.server.endpoint));
  const services = {
    cloudformation,
    dynamodb: dynalite,
    ecs: tasks,
    cloudwatch: alarms,
    cloudwatch_logs: logs,
  };
  const env = { ...environmentOf(services), GITHUB_TOKEN: github.server.token };
  return {
    cwd,
    github,
    dynalite,
    ledger,
    tasks,
    cloudformation,
    logs,
    alarms,
    env,
    board,
    /** Runs one command of the command line as a process; what is undefined is not in its environment. */
    run: (args: readonly string[], more: Surroundings = {}) =>
      runCli(args, { cwd, env: definedOf({ ...env, ...more }), patienceMs: 60_000 }),
    /** The same without a process of its own. */
    runHere: (args: readonly string[], more: Surroundings = {}) =>
      runHere(args, cwd, definedOf({ ...env, ...more })),
    makeTable: () => ensureTable(dynalite.client, askedTable),
    openLedger: async () => {
      await ledger.changeTick(putTickClosed('gen'));
      await ledger.changeTick(openTick('gen'));
    },
    /** An issue in the first of the active columns. */
    addIssue: async () => {
      const id = await github.add({ title: 'Say hello', state: undefined } as never);
      await github.move(id, 'Todo');
      return { id, key: `web#${github.issue(id).number}` as IssueKey };
    },
    /** A turn at work on an issue, with its task; answers that. */
    runTurn: async (issue: KnownIssue): Promise<EcsTask> => {
      await github.move(issue.id, 'In Progress');
      const task = tasks.world.begin(taskOf(board, issue));
      await ledger.changeLease('gen', board, issue.id, aRunningLease(board, issue, task.arn as Arn));
      return task;
    },
    /** Every item that is kept, in the deployment's table or another one. */
    items: async (table = askedTable) => {
      const { Items = [] } = await dynalite.client.send(new ScanCommand({ TableName: table }));
      return Items.map((item) => JSON.stringify(item)).sort();
    },
    dispose: async () => {
      await Promise.all(Object.values(services).map((service) => service.stop()));
      await github.dispose();
      await rm(cwd, { recursive: true, force: true });
    },
  };
}

/** What a process needs to ask these services, as the environment of the AWS CLI has it. */
function environmentOf(services: Readonly<Record<string, { readonly endpoint: string }>>) {
  const endpoints = Object.entries(services).map(([name, { endpoint }]) => [
    `AWS_ENDPOINT_URL_${name.toUpperCase()}`,
    endpoint,
  ]);
  return {
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_EC2_METADATA_DISABLED: 'true',
    ...(Object.fromEntries(endpoints) as Record<string, string>),
  };
}

type Surroundings = Readonly<Record<string, string | undefined>>;

function definedOf(env: Surroundings): Record<string, string> {
  const all = Object.entries(env).filter(([, value]) => value !== undefined);
  return Object.fromEntries(all) as Record<string, string>;
}

/** What speaks to AWS and to the board reads its settings from the environment of the process. */
async function runHere(args: readonly string[], cwd: string, env: Record<string, string>) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const terminal = (stream: PassThrough) => ({ stream, isTerminal: false, isRich: false });
  const before = process.env;
  process.env = { PATH: before.PATH, HOME: cwd, ...env };
  try {
    const code = await runProgram(args, {
      cwd,
      env,
      stdin: { stream: stdin, isTerminal: false },
      stdout: terminal(stdout),
      stderr: terminal(stderr),
      now: Date.now,
    });
    return { code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
  } finally {
    process.env = before;
  }
}

export interface KnownIssue {
  readonly id: IssueId;
  readonly key: IssueKey;
}

const turnId = '3-abcdefghijklmnopqrstuvwxyz' as TurnId;

/** The task of an issue's third turn, as it is launched. */
function taskOf(board: BoardId, { id }: KnownIssue) {
  const facts = { turnId, board, issueId: id, attempt: 3, capStates: [], ticket: 'ticket' };
  const task = { cpu: 1_024, memory: 4_096, spot: false, disk_gib: 21 };
  return {
    cluster: testCluster,
    taskDefinition: testDefinition,
    startedBy: turnId,
    overrides: overridesOf({ ...facts, task }, 'turn'),
  };
}

function aRunningLease(board: BoardId, { id, key }: KnownIssue, liveArn: Arn) {
  const { board: _board, issueId: _id, ...fresh } = unclaimedLease(board, id, key);
  const now = Date.now();
  const running = { phase: 'running', turnId, attempt: 3, startedAt: now, progressAt: now } as const;
  return aChange({ set: { ...fresh, ...running, liveArn, startedFrom: 'todo' as StateName } });
}

/** The JSON that a command printed; it must have ended well and complained of nothing. */
export function answerOf({ code, stdout, stderr }: CliResult): unknown {
  if (code !== 0 || stderr !== '') throw new Error(`the command ended with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

/** The stack as it is synthesised, with what AWS puts in the place of its references. */
function deployed(endpoint: string): DescribedStack {
  template ??= synthesise();
  const known: Readonly<Record<string, string>> = {
    TableName: askedTable,
    ClusterArn: testCluster,
    TaskDefinition: testDefinition,
    TurnLogs: askedLogs,
  };
  const names = Object.keys(JSON.parse(template).Outputs);
  return {
    status: 'CREATE_COMPLETE',
    outputs: Object.fromEntries(names.map((name) => [name, known[name] ?? `the ${name}`])),
    template: template.replaceAll(placeOfEndpoint, endpoint),
  };
}

/** Made once: only the address of the board differs. */
let template: string | undefined;
const placeOfEndpoint = 'http://127.0.0.1:1';

function synthesise(): string {
  const workflow = deployableWorkflow({
    tracker: {
      endpoint: placeOfEndpoint,
      active_states: ['todo', 'in progress'],
      in_progress_state: 'in progress',
      handoff_state: 'in review',
      terminal_states: ['done'],
    },
    agent: { command: 'werke „weiter“' },
  });
  const stack = evenkeelStack({ workflows: [workflow], maxConcurrentAgents: 3 });
  describeDeployment(stack, stack.node.findChild('Evenkeel') as Evenkeel);
  return JSON.stringify(templateOf(stack).toJSON(), undefined, 1);
}
