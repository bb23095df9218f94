import { describe, expect, test } from 'vitest';
import { formatTraceLine, parseTraceLine } from '../../lib/core/trace-line.ts';

describe('a trace line', () => {
  test('becomes a fact with its times in milliseconds and its other details as they are', () => {
    const line =
      '{"time":"2026-11-29T10:00:00.250Z","fact":"retry-scheduled","issue":"i1","attempt":2,"until":"2026-11-29T10:00:10Z","class":"agent","paths":["a"],"landed":true}';
    expect(parseTraceLine(line)).toEqual({
      fact: {
        time: Date.UTC(2026, 10, 29, 10, 0, 0, 250),
        fact: 'retry-scheduled',
        issue: 'i1',
        attempt: 2,
        until: Date.UTC(2026, 10, 29, 10, 0, 10),
        class: 'agent',
        paths: ['a'],
        landed: true,
      },
    });
  });

  test('may carry a time zone, or milliseconds', () => {
    expect(parseTraceLine('{"time":"2026-11-29T11:00:00+01:00","fact":"hint"}')).toEqual({
      fact: { time: Date.UTC(2026, 10, 29, 10), fact: 'hint' },
    });
    expect(parseTraceLine('{"time":12,"fact":"hint"}')).toEqual({ fact: { time: 12, fact: 'hint' } });
  });

  test.each([
    ['Serving board b', 'not a line of JSON'],
    ['{"time":12,"fact":"guessed"}', 'fact: '],
    ['{"fact":"hint"}', 'time: '],
    ['{"time":"yesterday","fact":"hint"}', 'time: '],
    ['{"time":12,"fact":"claimed","attempt":-1}', 'attempt: '],
    ['{"time":12,"fact":"claimed","detail":{"nested":1}}', 'detail: '],
    ['[]', 'the line: '],
  ])('that cannot be read names what is wrong with it: %s', (line, problem) => {
    expect(parseTraceLine(line)).toEqual({ problem: expect.stringMatching(`^${problem}`) });
  });

  test('is printed with its times as ISO strings and reads back as the same fact', () => {
    const fact = {
      time: Date.UTC(2026, 10, 29, 10),
      fact: 'retry-scheduled',
      board: 'b',
      key: 'A-1',
      until: Date.UTC(2026, 10, 29, 10, 0, 10),
      paths: ['a', 'b'],
      landed: false,
    } as const;
    const line = formatTraceLine({ ...fact, turnId: undefined });
    expect(line).toBe(
      '{"time":"2026-11-29T10:00:00.000Z","fact":"retry-scheduled","board":"b","key":"A-1","paths":["a","b"],"landed":false,"until":"2026-11-29T10:00:10.000Z"}',
    );
    expect(parseTraceLine(line)).toEqual({ fact });
  });
});
