import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { resolve } from 'node:path';
import type { LaunchRequest } from '../../controller/ports.ts';
import { bakeCookie, cookieName } from './cookie.ts';
import type { ProcessTable } from './process-table.ts';
import type { Task } from './sight.ts';
import { taskArn } from './task-arn.ts';
import type { TurnFolders } from './turn-folders.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface StartOptions {
  readonly deployment: string;
  readonly program: readonly string[];
  readonly hostFile: string;
  readonly passEnvironment: readonly string[];
  readonly environment: Environment;
}

export type TurnStart =
  | { readonly kind: 'started'; readonly task: Task; readonly child: ChildProcess }
  /** No process began. */
  | { readonly kind: 'failed'; readonly problem: string };

/**
 * What every program needs to run at all, and what the turn program's own git needs to reach a repository (it hands none
 * of that on to the agent); nothing else of the host's environment passes unless it is named.
 */
const alwaysPassed = [
  ...['PATH', 'HOME', 'LANG', 'LC_ALL', 'TMPDIR', 'USER', 'SHELL', 'XDG_CONFIG_HOME', 'SSH_AUTH_SOCK'],
  ...[
    'HTTP_PROXY',
    'HTTPS_PROXY',
    'NO_PROXY',
    'ALL_PROXY',
    'http_proxy',
    'https_proxy',
    'no_proxy',
    'all_proxy',
  ],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'GIT_SSL_CAINFO'],
];

/**
 * Starts the turn program in a session of its own, so that it outlives the host. The cookie is on disk before the process
 * exists. Throws when a process began that could not be named.
 */
export async function startTurn(
  request: LaunchRequest,
  folders: TurnFolders,
  table: ProcessTable,
  options: StartOptions,
): Promise<TurnStart> {
  const { turnId, board, issueId, attempt, capStates } = request;
  const identity = { turnId, board, issueId, attempt, capStates: [...capStates] };
  const cookie = bakeCookie(options.deployment, identity);
  const child = begin(request, cookie, folders, options, () => folders.recordTurn({ ...identity, cookie }));
  if (child instanceof Error) return { kind: 'failed', problem: child.message };
  // Nothing is awaited before the start time is read: until then even a child that has ended is there to be read.
  if (child.pid === undefined) return { kind: 'failed', problem: await spawnProblem(child) };
  child.on('error', () => {});
  const start = table.startOf(child.pid);
  if (start === undefined) {
    throw new Error(
      `turn ${turnId} was started, but the process table does not name it yet; the next look finds it by its cookie`,
    );
  }
  return {
    kind: 'started',
    child,
    task: { ...identity, cookie, arn: taskArn(table.bootId, child.pid, start) },
  };
}

function begin(
  { turnId, ticket }: LaunchRequest,
  cookie: string,
  folders: TurnFolders,
  options: StartOptions,
  record: () => void,
): ChildProcess | Error {
  try {
    record();
    return spawnDetached(options.program, folders.pathOf(turnId), folders.logOf(turnId), {
      ...passed(options),
      EVENKEEL_TURN_API: resolve(options.hostFile),
      EVENKEEL_TURN_ID: turnId,
      EVENKEEL_TURN_DIR: folders.pathOf(turnId),
      EVENKEEL_TICKET: ticket,
      // By name, so that the turn program can keep them from everything but the agent.
      EVENKEEL_PASS: options.passEnvironment.join(','),
      [cookieName]: cookie,
    });
  } catch (error) {
    return error as Error;
  }
}

function passed({ passEnvironment, environment }: StartOptions): Environment {
  const names = [...alwaysPassed, ...passEnvironment].filter((name) => environment[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, environment[name]]));
}

function spawnDetached(
  program: readonly string[],
  folder: string,
  logFile: string,
  env: Environment,
): ChildProcess {
  const [command = '', ...argv] = program;
  const log = openSync(logFile, 'a', 0o600);
  try {
    const child = spawn(command, argv, {
      cwd: folder,
      detached: true,
      stdio: ['ignore', log, log],
      env: { ...env },
    });
    child.unref();
    return child;
  } finally {
    closeSync(log);
  }
}

async function spawnProblem(child: ChildProcess): Promise<string> {
  const [error] = await once(child, 'error');
  return (error as Error).message;
}
