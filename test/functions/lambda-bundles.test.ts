import { createHmac } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Ledger } from '../../lib/controller/ports.ts';
import { openTick, putTickClosed } from '../../lib/core/tick-writes.ts';
import { parseTraceLine } from '../../lib/core/trace-line.ts';
import { turnOne } from '../contracts/describe-runner.ts';
import { type TestDeployment, testDeployment } from '../support/aws/deployment.ts';

// The bundles as they are deployed, each in a process of its own that has to end by itself.
let deployment: TestDeployment;
beforeEach(async () => {
  deployment = await testDeployment();
});
afterEach(() => deployment.dispose());

const everyMinute = { 'detail-type': 'Scheduled Event', source: 'aws.events' };
const ticketOf = (secret: string) => createHmac('sha256', secret).update(turnOne).digest('base64url');

async function openLedger(ledger: Ledger) {
  await ledger.changeTick(putTickClosed('gen'));
  await ledger.changeTick(openTick('gen'));
}

/** The values of what was measured, as the platform reads them out of the log. */
function measuresIn(logged: readonly Record<string, unknown>[]) {
  const emf = logged.find((line) => '_aws' in line) ?? {};
  const { _aws: about, ...values } = emf as { _aws?: { CloudWatchMetrics: { Dimensions: string[][] }[] } };
  return { dimensions: about?.CloudWatchMetrics[0]?.Dimensions, values };
}

describe('the bundled tick', () => {
  test('dispatches nothing on a table that was not bootstrapped, and completes no tick', async () => {
    const { answered, logged } = await deployment.run('reconcile', [everyMinute]);
    expect(answered).toEqual([{ answer: 'closed' }]);
    expect(measuresIn(logged).values).not.toHaveProperty('TicksCompleted');
    expect(logged).toContainEqual(
      expect.objectContaining({
        message: 'the ledger is closed',
        detail: 'there is no tick record: the ledger has to be bootstrapped',
      }),
    );
  });

  test('looks at the tasks of its family while the ledger is closed, and waits before it opens', async () => {
    await deployment.ledger.changeTick(putTickClosed('gen'));
    expect((await deployment.run('reconcile', [everyMinute])).answered).toEqual([{ answer: 'closed' }]);
    expect((await deployment.ledger.tick())?.epoch).toBeUndefined();
    expect(deployment.containers.heard.map(({ call, input }) => [call, input.family])).toEqual([
      ['ListTasks', 'evenkeel-turn'],
      ['ListTasks', 'evenkeel-turn'],
    ]);
  });

  test('is numbered, tells facts that check-trace reads, and measures under one dimension', async () => {
    await openLedger(deployment.ledger);
    const { answered, logged } = await deployment.run('reconcile', [everyMinute, everyMinute]);
    expect(answered).toEqual([{ answer: 'done' }, { answer: 'done' }]);
    expect(await deployment.ledger.tick()).toMatchObject({ epoch: 2, done: 2 });
    const facts = logged.filter((line) => 'fact' in line);
    expect(facts.map(({ fact }) => fact)).toEqual([
      'tick-started',
      'tick-ended',
      'tick-started',
      'tick-ended',
    ]);
    expect(facts.map((line) => parseTraceLine(JSON.stringify(line)))).not.toContainEqual(
      expect.objectContaining({ problem: expect.anything() }),
    );
    expect(measuresIn(logged)).toEqual({
      dimensions: [['service']],
      values: {
        service: 'test',
        TicksCompleted: 1,
        ContractInvalid: 0,
        RunningTurns: 0,
        ParkedIssues: 0,
        StuckLeases: 0,
        WriteLimitHits: 0,
        QuotaLow: 0,
        BreakersOpen: 0,
      },
    });
    // The clients and the secret of the first invocation serve the second one.
    expect(deployment.secrets.heard).toHaveLength(1);
  });

  test('that was asked for and finds nothing unseen is not admitted and measures nothing', async () => {
    await openLedger(deployment.ledger);
    const { answered, logged } = await deployment.run('reconcile', [{ 'detail-type': 'Tick Requested' }]);
    expect(answered).toEqual([{ answer: 'not-admitted' }]);
    expect(measuresIn(logged).dimensions).toBeUndefined();
  });

  test('fails by name over a setting that is missing, unfit or unknown, and shows no value', async () => {
    const { answered } = await deployment.run('reconcile', [everyMinute], {
      EVENKEEL_CLUSTER: 'my-cluster',
      EVENKEEL_MAX_CONCURRENT_AGENTS: 'many',
      EVENKEEL_MAX_AGENTS: '3',
    });
    const [{ error }] = answered as [{ error: string }];
    expect(error).toMatch(/EVENKEEL_CLUSTER: the ARN of a cluster/);
    expect(error).toMatch(/EVENKEEL_MAX_CONCURRENT_AGENTS: a whole number/);
    expect(error).toMatch(/EVENKEEL_MAX_AGENTS/);
    expect(error).not.toMatch(/my-cluster|many/);
  });

  test('fails over a secret that cannot be used, and tells nothing of it', async () => {
    deployment.secret.ticketSecret = 'too short';
    const { answered, text } = await deployment.run('reconcile', [everyMinute]);
    expect(answered).toEqual([
      { error: 'the secret evenkeel/test cannot be used: ticketSecret: must have at least 32 characters' },
    ]);
    expect(text).not.toContain('too short');
  });

  test('fails over workflows of another version, and says to deploy again', async () => {
    await writeFile(join(deployment.folder, 'reconcile', 'workflows.json'), '[{"tracker":{}}]');
    await openLedger(deployment.ledger);
    const { answered } = await deployment.run('reconcile', [everyMinute]);
    expect(answered).toEqual([
      { error: expect.stringMatching(/workflows\.json does not fit this version.*Deploy again/s) },
    ]);
  });
});

describe('the bundled webhook', () => {
  const delivery = (secret: string, body = '{"action":"labeled"}') => ({
    rawPath: '/webhooks/github',
    headers: {
      'x-github-event': 'issues',
      'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    },
    body: Buffer.from(body).toString('base64'),
    isBase64Encoded: true,
  });

  test('counts each authentic delivery, and asks for one tick for all of a burst', async () => {
    await openLedger(deployment.ledger);
    const burst = Array.from({ length: 20 }, () => delivery('hook'));
    const { answered } = await deployment.run('webhook', burst);
    expect(answered).toEqual(burst.map(() => ({ answer: { statusCode: 202 } })));
    expect((await deployment.ledger.tick())?.dirty).toBe(20);
    expect(deployment.bus.heard).toEqual([
      {
        call: 'PutEvents',
        input: {
          Entries: [
            { EventBusName: 'hints', Source: 'evenkeel', DetailType: 'Tick Requested', Detail: '{}' },
          ],
        },
      },
    ]);
  });

  test('looks once for a changed secret when a signature does not fit, and not again within 30 seconds', async () => {
    await openLedger(deployment.ledger);
    const { answered } = await deployment.run('webhook', [delivery('forged'), delivery('forged')]);
    expect(answered).toEqual([{ answer: { statusCode: 401 } }, { answer: { statusCode: 401 } }]);
    expect(deployment.secrets.heard).toHaveLength(1);
    expect(deployment.bus.heard).toEqual([]);
  });

  test('takes either of two secrets while they are being changed', async () => {
    await openLedger(deployment.ledger);
    deployment.secret.githubWebhookSecret = ['new', 'old'];
    const { answered } = await deployment.run('webhook', [delivery('old'), delivery('new')]);
    expect(answered).toEqual([{ answer: { statusCode: 202 } }, { answer: { statusCode: 202 } }]);
  });

  test('answers 503 while nobody can know what is authentic, and says why', async () => {
    deployment.secret.ticketSecret = undefined;
    const { answered, text } = await deployment.run('webhook', [delivery('hook')]);
    expect(answered).toEqual([{ answer: { statusCode: 503 } }]);
    expect(text).toContain('the secret evenkeel/test cannot be used: ticketSecret: is missing');
  });
});

describe('the bundled turn API', () => {
  const get = (ticket: string, path = `/turns/${turnOne}/program`) => ({
    rawPath: path,
    requestContext: { http: { method: 'GET' } },
    headers: { authorization: `Bearer ${ticket}` },
  });

  test('gives the turn program, byte by byte, to who holds a ticket, and to nobody else', async () => {
    const { answered } = await deployment.run('turn-api', [get(ticketOf('t'.repeat(64))), get('guessed')]);
    const program = await readFile(join(deployment.folder, 'turn-api', 'turn.mjs'), 'utf8');
    const [given, refused] = answered as [{ answer: { body: string } }, unknown];
    expect(given.answer).toEqual({
      statusCode: 200,
      headers: { 'content-type': 'text/javascript' },
      body: program,
    });
    expect(refused).toEqual({ answer: { statusCode: 401 } });
  });

  test('knows no program of what is no turn', async () => {
    const { answered } = await deployment.run('turn-api', [get('x', '/turns/nobody/program')]);
    expect(answered).toEqual([{ answer: { statusCode: 404 } }]);
  });

  test('stops a turn that it does not know', async () => {
    await openLedger(deployment.ledger);
    const start = {
      rawPath: `/turns/${turnOne}/start`,
      requestContext: { http: { method: 'POST' } },
      headers: { authorization: `Bearer ${ticketOf('t'.repeat(64))}` },
      body: JSON.stringify({ arn: 'arn', key: 'k'.repeat(40) }),
      isBase64Encoded: false,
    };
    const { answered } = await deployment.run('turn-api', [start]);
    expect(answered).toMatchObject([{ answer: { statusCode: 200, body: expect.stringContaining('stop') } }]);
  });

  test('fails when its program is not beside it', async () => {
    await rm(join(deployment.folder, 'turn-api', 'turn.mjs'));
    const { answered } = await deployment.run('turn-api', [get(ticketOf('t'.repeat(64)))]);
    expect(answered).toEqual([{ error: expect.stringContaining('turn.mjs') }]);
  });
});

describe('the bundled turn end', () => {
  const stopped = (time: string) => ({
    time,
    detail: { taskArn: 'arn', startedBy: turnOne, lastStatus: 'STOPPED' },
  });

  test('passes over a turn that it does not know, and leaves an old event to the ticks', async () => {
    await openLedger(deployment.ledger);
    const { answered } = await deployment.run('turn-end', [
      stopped(new Date().toISOString()),
      stopped(new Date(Date.now() - 91_000).toISOString()),
    ]);
    expect(answered).toEqual([{ answer: { turn: 'nothing' } }, { answer: { turn: 'left' } }]);
    expect(deployment.bus.heard).toEqual([]);
  });
});
