import { describe, expect, test } from 'vitest';
import { priceIdle, priceTurnHour } from '../../lib/stack/idle-cost.ts';
import { evenkeelStack, templateOf } from '../support/stack-world.ts';

const sumOf = (lines: ReturnType<typeof priceIdle>) => lines.reduce((sum, { usd }) => sum + usd, 0);
const resources = (types: Record<string, string>) => ({
  Resources: Object.fromEntries(Object.entries(types).map(([id, Type]) => [id, { Type }])),
});

describe('an idle deployment', () => {
  const lines = priceIdle(templateOf(evenkeelStack({ alarmEmail: 'team@example.org' })).toJSON() as never);

  test('costs less than 10 USD a month, without any free tier', () => {
    expect(sumOf(lines)).toBeLessThan(10);
    expect(sumOf(lines)).toBeGreaterThan(5);
  });

  test('pays for its alarms, its metrics, its dashboard and its secret', () => {
    const counted = Object.fromEntries(lines.map(({ what, arithmetic }) => [what, arithmetic]));
    expect(counted).toMatchObject({
      alarms: '8 × 0.10',
      metrics: '8 × 0.30',
      dashboard: '1 × 3.00',
      secret: '1 × 0.40',
    });
  });

  test('behind a NAT gateway costs far more, and that is said', () => {
    const nat = priceIdle(templateOf(evenkeelStack({ network: { kind: 'nat' } })).toJSON() as never);
    expect(sumOf(nat) - sumOf(lines)).toBeGreaterThan(30);
  });
});

test('a resource whose price nobody looked up is named, not taken for free', () => {
  expect(() => priceIdle(resources({ a: 'AWS::RDS::DBInstance' }))).toThrow('AWS::RDS::DBInstance');
});

test('an hour of a turn is priced by its size', () => {
  const small = { cpu: 1_024, memory: 4_096, disk_gib: 21, spot: false };
  expect(priceTurnHour(small, 'ARM64')).toBeCloseTo(0.0517, 3);
  expect(priceTurnHour({ ...small, cpu: 2_048, memory: 8_192 }, 'X86_64')).toBeCloseTo(0.1216, 3);
});
