import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { evenkeelStack, resourceOf, templateOf } from '../support/stack-world.ts';

const program =
  "console.log(JSON.stringify({ turn: process.env.EVENKEEL_TURN_ID, file: import.meta.url.split('/').at(-1) }));";
const task = resourceOf(templateOf(evenkeelStack()), 'AWS::ECS::TaskDefinition');
const container = task.Properties.ContainerDefinitions[0];

let server: Server | undefined;
afterEach(() => server?.close());

async function serve(listener: RequestListener): Promise<string> {
  server = createServer(listener);
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Runs what the task definition runs, with Node in the place of the image's. */
function start(api: string, hash: string): Promise<{ code: number; stdout: string; stderr: string }> {
  expect(container.EntryPoint).toEqual(['node']);
  const env = {
    PATH: process.env.PATH,
    EVENKEEL_TURN_API: api,
    EVENKEEL_TURN_PROGRAM_SHA256: hash,
    EVENKEEL_TURN_ID: '3-abcdefghijklmnopqrstuvwxyz',
    EVENKEEL_TICKET: 'the-ticket',
  };
  return new Promise((resolve) => {
    execFile(process.execPath, container.Command, { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

test('a container fetches the turn program with its ticket, and becomes it', async () => {
  const asked: unknown[] = [];
  const api = await serve((request, response) => {
    asked.push([request.method, request.url, request.headers.authorization]);
    response.end(program);
  });
  const { code, stdout } = await start(api, hashOf(program));
  expect(code).toBe(0);
  expect(asked).toEqual([['GET', '/turns/3-abcdefghijklmnopqrstuvwxyz/program', 'Bearer the-ticket']]);
  expect(JSON.parse(stdout)).toEqual({ turn: '3-abcdefghijklmnopqrstuvwxyz', file: 'turn.mjs' });
});

test('a program with another hash than the task definition names is not run', async () => {
  const api = await serve((_, response) => response.end(`${program}\nconsole.log('changed')`));
  const { code, stdout, stderr } = await start(api, hashOf(program));
  expect({ code, stdout }).toEqual({ code: 70, stdout: '' });
  expect(stderr).toContain('not the one that this task definition names');
});

test('a container that is refused ends at once, and says so without its ticket', async () => {
  let asked = 0;
  const api = await serve((_, response) => {
    asked += 1;
    response.writeHead(401).end();
  });
  const { code, stdout, stderr } = await start(api, hashOf(program));
  expect({ code, stdout, asked }).toEqual({ code: 70, stdout: '', asked: 1 });
  expect(stderr).toContain('answered 401');
  expect(stderr).not.toContain('the-ticket');
});

test('a turn API that is not ready yet, or throttles, is asked again', async () => {
  const answers = [503, 429, 200];
  const api = await serve((_, response) => {
    const status = answers.shift() ?? 200;
    response.writeHead(status).end(status === 200 ? program : '');
  });
  const { code, stdout } = await start(api, hashOf(program));
  expect(code).toBe(0);
  expect(stdout).toContain('3-abcdefghijklmnopqrstuvwxyz');
  expect(answers).toEqual([]);
});
