import { expect, test } from 'vitest';
import { commandsFor } from '../../lib/cli/commands-for.ts';
import { describeKeptWork } from '../../lib/cli/kept-work.ts';

const kept = { folder: '/data/turns', turns: ['1-a', '2-b'], bytes: 1_234_567, isPart: false };

test('work that is on this disk only is told with how much, where, and who removes it', () => {
  const [, line] = describeKeptWork(kept, commandsFor({}));
  expect(line).toMatch(/^Work of 2 ended turns is on this disk only: 1\.2 MB in \/data\/turns\./);
  expect(line).toContain('remove them by hand');
  expect(describeKeptWork({ ...kept, isPart: true }, commandsFor({}))[1]).toContain('at least 1.2 MB');
  expect(describeKeptWork({ ...kept, turns: ['1-a'], bytes: 12 }, commandsFor({}))[1]).toMatch(
    /Work of 1 ended turn .* 12 B in/,
  );
});

test('there is no line where all work is elsewhere', () => {
  expect(describeKeptWork({ ...kept, turns: [], bytes: 0 }, commandsFor({}))).toEqual([]);
});
