import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventbridgeTrigger } from '../../../lib/adapters/eventbridge/eventbridge-trigger.ts';
import type { TickTrigger } from '../../../lib/controller/ports.ts';
import { type JsonService, startJsonService } from '../../support/aws/json-service.ts';

const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
let now = 0;
let answer: () => object;
let bus: JsonService;
let trigger: TickTrigger;

beforeEach(async () => {
  answer = () => ({ FailedEntryCount: 0, Entries: [{ EventId: '1' }] });
  bus = await startJsonService({ PutEvents: () => answer() });
  trigger = eventbridgeTrigger({
    client: new EventBridgeClient({
      endpoint: bus.endpoint,
      region: 'eu-west-1',
      credentials,
      maxAttempts: 1,
    }),
    bus: 'hints',
    source: 'evenkeel',
    detailType: 'Tick Requested',
    clock: { now: () => now, sleep: async () => {} },
    gapMs: 2_000,
  });
});
afterEach(() => bus.stop());

describe('asking for an early tick on the bus', () => {
  test('a burst of hints becomes one request, and the first hint after the gap another one', async () => {
    await Promise.all(Array.from({ length: 1_000 }, () => trigger.requestTick()));
    now += 1_999;
    await trigger.requestTick();
    expect(bus.heard).toHaveLength(1);
    now += 1;
    await trigger.requestTick();
    expect(bus.heard).toHaveLength(2);
  });

  test('every hint of a burst learns that its request failed, and the next one asks again', async () => {
    answer = () => {
      throw new Error('ThrottlingException');
    };
    const burst = await Promise.allSettled([1, 2, 3].map(() => trigger.requestTick()));
    expect(burst.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    answer = () => ({ FailedEntryCount: 0, Entries: [] });
    await trigger.requestTick();
    expect(bus.heard).toHaveLength(2);
  });

  test('an answer of status 200 that took no event is a failure', async () => {
    answer = () => ({
      FailedEntryCount: 1,
      Entries: [{ ErrorCode: 'InternalFailure', ErrorMessage: 'try again' }],
    });
    await expect(trigger.requestTick()).rejects.toThrow(/InternalFailure try again/);
  });
});
