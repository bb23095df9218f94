import { expect, test } from 'vitest';
import { parsePs } from '../../lib/turn/process-table.ts';

test('a listing of ps tells who carries the cookie, who started whom, and what time was used', () => {
  const listing = [
    '  501   500   501 Ss   00:01:02 Sun Nov 29 13:28:00 2026 sh -c work EVENKEEL_COOKIE=abc PATH=/bin',
    '  502   501   501 S+   0:00.25 Sun Nov  1 01:02:03 2026 sleep 60',
    '  503   501   503 R  2-01:00:00 Sun Nov 29 13:28:00 2026 sh EVENKEEL_COOKIE=abcd',
    '  504   501   501 Z    00:00:00 Sun Nov 29 13:28:00 2026 [sh] <defunct>',
    'no process at all',
    '',
  ].join('\n');
  expect(parsePs(listing, 'EVENKEEL_COOKIE=abc')).toEqual([
    {
      pid: 501,
      ppid: 500,
      group: 501,
      start: 'Sun Nov 29 13:28:00 2026',
      cpuMs: 62_000,
      carriesCookie: true,
    },
    { pid: 502, ppid: 501, group: 501, start: 'Sun Nov  1 01:02:03 2026', cpuMs: 250, carriesCookie: false },
    {
      pid: 503,
      ppid: 501,
      group: 503,
      start: 'Sun Nov 29 13:28:00 2026',
      cpuMs: 176_400_000,
      carriesCookie: false,
    },
  ]);
});
