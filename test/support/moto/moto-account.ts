import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '../eventually.ts';
import { fitTemplate } from './fit-template.ts';

/** Why a deployment to moto cannot be tried on this machine, or undefined. */
export function motoMissing(): string | undefined {
  if (spawnSync('python3', ['-c', 'import moto, moto.server, werkzeug']).status !== 0)
    return 'python3 with moto and its server';
  return spawnSync('aws', ['--version']).status === 0 ? undefined : 'the AWS CLI';
}

export interface MotoAccount {
  /** What a process needs to ask it. */
  readonly env: Readonly<Record<string, string>>;
  /** What the AWS CLI answers, as JSON. */
  aws(...args: readonly string[]): Promise<Record<string, never>>;
  /** Runs a program against it; answers what that printed. */
  run(program: string, args: readonly string[]): Promise<string>;
  /** Bootstraps the account and deploys one stack of an assembly, as the CDK's command line does; answers what moto does not know. */
  deploy(assembly: string, stack: string): Promise<readonly string[]>;
  stop(): void;
}

const region = 'eu-central-1';
const cdk = fileURLToPath(new URL('../../../node_modules/.bin/cdk', import.meta.url));
const script = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** An empty account, served by moto on this machine. */
export async function motoAccount(): Promise<MotoAccount> {
  const port = await freePort();
  const server = spawn('python3', [script('serve-moto.py'), String(port)], { stdio: 'ignore' });
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: mkdtempSync(join(tmpdir(), 'evenkeel-moto-')),
    // Its templates are found by this name only, and its buckets by an address only.
    AWS_ENDPOINT_URL: `http://localhost:${port}`,
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    CDK_DISABLE_CLI_TELEMETRY: 'true',
  };
  await waitForAnswer(server, port);
  // Away from the project, whose cdk.json would have it synthesised anew.
  const cwd = mkdtempSync(join(tmpdir(), 'evenkeel-cdk-'));
  return {
    env,
    run: (program, args) => run(program, args, env, cwd),
    aws: async (...args) => JSON.parse(await run('aws', [...args, '--output', 'json'], env, cwd)),
    deploy: async (assembly, stack) => {
      const { fitted, left } = fitAssembly(assembly);
      await run(cdk, ['bootstrap', `aws://123456789012/${region}`], env, cwd);
      const deploy = ['deploy', stack, '--app', fitted, '--method', 'direct', '--require-approval', 'never'];
      await run(cdk, deploy, env, cwd);
      return left;
    },
    stop: () => server.kill('SIGKILL'),
  };
}

function fitAssembly(assembly: string): { readonly fitted: string; readonly left: readonly string[] } {
  const known = new Set(
    spawnSync('python3', [script('list-types.py')], { encoding: 'utf8' })
      .stdout.trim()
      .split('\n'),
  );
  const fitted = mkdtempSync(join(tmpdir(), 'evenkeel-assembly-'));
  cpSync(assembly, fitted, { recursive: true });
  const left = readdirSync(fitted)
    .filter((name) => name.endsWith('.template.json'))
    .flatMap((name) => {
      const template = JSON.parse(readFileSync(join(fitted, name), 'utf8'));
      const types = fitTemplate(template, known);
      writeFileSync(join(fitted, name), JSON.stringify(template));
      return types;
    });
  return { fitted, left };
}

function run(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { env, cwd, maxBuffer: 1e8 }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${command} ${args.join(' ')} failed: ${stderr}\n${stdout}`));
    });
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function waitForAnswer(server: ChildProcess, port: number): Promise<void> {
  await eventually(
    async () => {
      if (server.exitCode !== null) throw new Error(`moto ended with ${server.exitCode}`);
      return fetch(`http://127.0.0.1:${port}/moto-api/`).then(
        ({ ok }) => ok,
        () => false,
      );
    },
    (answers) => answers,
    60_000,
  );
}
