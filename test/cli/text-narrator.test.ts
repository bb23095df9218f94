import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { commandsFor } from '../../lib/cli/commands-for.ts';
import { jsonNarrator } from '../../lib/cli/json-narrator.ts';
import { describeCounts, textNarrator } from '../../lib/cli/text-narrator.ts';
import type { HostEvent } from '../../lib/host/host.ts';

const now = Date.UTC(2026, 10, 29, 10);
const usual = { now: () => now, cwd: '/work', command: commandsFor({}) };
const started = { dataDir: '/work/.evenkeel', intervalMs: 5_000, example: true };
const host = {
  url: 'http://127.0.0.1:4000',
  boards: [
    {
      board: 'board',
      kind: 'local',
      place: '/work/.evenkeel/example/board',
      repository: '/work/.evenkeel/example/repository.git',
      workflow: '/work/.evenkeel/example/WORKFLOW.md',
      activeStates: ['Todo', 'In Progress'],
      handoffState: 'In Review',
    },
  ],
};
const claimed = {
  kind: 'fact',
  fact: { time: now, fact: 'claimed', board: 'board', key: 'DEMO-1', attempt: 1, from: 'Todo' },
} as const satisfies HostEvent;

function narrate(isRich: boolean) {
  const stream = new PassThrough();
  const narrator = textNarrator({ stream, isTerminal: isRich, isRich }, usual);
  return { narrator, text: () => String(stream.read() ?? '') };
}

describe('the story on a terminal', () => {
  test('begins with where everything is, how to move a card, and that agents are not isolated', () => {
    const { narrator, text } = narrate(false);
    narrator.begin(host, started);
    const header = text();
    expect(header).toMatch(/board +\.evenkeel\/example\/board\n/);
    expect(header).toMatch(/repository +\.evenkeel\/example\/repository\.git\n/);
    expect(header).toMatch(/data +\.evenkeel\n/);
    expect(header).toContain('edit `state:` in .evenkeel/example/board/KEY.md');
    expect(header).toContain('"Todo" or "In Progress"');
    expect(header).toContain('not isolated');
  });

  test.each([
    'https://github.com/acme/web.git',
    'ssh://git@git.example.org/acme/../web.git',
    'git@git.example.org:acme/../web.git',
    'file:///srv/web.git',
  ])('shows an address letter by letter, as it is no path: %s', (repository) => {
    const { narrator, text } = narrate(false);
    const [board] = host.boards;
    narrator.begin(
      { ...host, boards: [{ ...board!, kind: 'github', place: 'acme/web', repository }] },
      started,
    );
    const rows = text().split('\n');
    expect(rows.find((row) => row.startsWith('  repository'))?.split(/ +/)).toEqual([
      '',
      'repository',
      repository,
    ]);
  });

  test('tells what happened before the header after it', () => {
    const { narrator, text } = narrate(false);
    narrator.tell(claimed);
    expect(text()).toBe('');
    narrator.begin(host, started);
    expect(text()).toMatch(/not isolated[\s\S]*DEMO-1 +start +attempt 1 starts from "Todo"\n$/);
  });

  test('that is left at once says how many turns go on, on a line of its own', () => {
    const { narrator, text } = narrate(true);
    narrator.begin(host, started);
    narrator.tell({ kind: 'fact', fact: { ...claimed.fact, fact: 'turn-started', turnId: '1-a' } });
    narrator.leave();
    const [live, left, rest] = text().split('\r').at(-1)!.split('\n');
    expect(live).toContain(
      'Left at once. 1 turn still runs and ends by itself or is adopted at the next start.',
    );
    expect([left, rest]).toEqual(['', undefined]);
  });

  test('has neither colour nor cursor movement where these are not wanted', () => {
    const { narrator, text } = narrate(false);
    narrator.begin(host, started);
    narrator.tell(claimed);
    narrator.end({ kind: 'stopped', liveTurns: 0 });
    const all = text();
    expect(all).not.toContain('\u001b');
    expect(all).toMatch(/Ended\. Nothing is running\.\n$/);
  });

  test('keeps a line with the counts below where they are', () => {
    const { narrator, text } = narrate(true);
    narrator.begin(host, started);
    narrator.tell(claimed);
    const all = text();
    expect(all.endsWith('\r\u001b[2K\u001b[2m0 running · 0 waiting · 0 parked · 0 in review\u001b[22m')).toBe(
      true,
    );
    narrator.end({ kind: 'stopped', liveTurns: 2 });
    expect(text()).toBe('\r\u001b[2KEnded. 2 of its turns go on and are adopted at the next start.\n');
  });

  test('never wraps that line', () => {
    const stream = Object.assign(new PassThrough(), { columns: 20 });
    const narrator = textNarrator({ stream, isTerminal: true, isRich: true }, usual);
    narrator.begin(host, started);
    stream.read();
    narrator.tell({ ...claimed, fact: { ...claimed.fact, fact: 'heartbeat' } } as HostEvent);
    expect(String(stream.read())).toBe('\r\u001b[2K\u001b[2m0 running · 0 wait…\u001b[22m');
    narrator.end({ kind: 'stopped', liveTurns: 0 });
  });

  test('shows the whole line on a terminal that does not tell its width', () => {
    const stream = Object.assign(new PassThrough(), { columns: 0 });
    const narrator = textNarrator({ stream, isTerminal: true, isRich: true }, usual);
    narrator.begin(host, started);
    narrator.tell(claimed);
    expect(String(stream.read())).toContain('0 in review');
    narrator.end({ kind: 'stopped', liveTurns: 0 });
  });

  test('says what is left to do when it ends by itself', () => {
    const { narrator, text } = narrate(false);
    narrator.begin(host, started);
    text();
    narrator.end({ kind: 'idle', trouble: ['DEMO-1 is parked: it crashed'] });
    expect(text()).toBe(
      'Idle: nothing runs, and nothing is due (0 waiting · 0 parked · 0 in review).\n  ! DEMO-1 is parked: it crashed\n',
    );
  });

  test('counts down to the next tick', () => {
    const counts = {
      running: 3,
      waiting: 2,
      parked: 1,
      inReview: 4,
      parkedInReview: 0,
      nextTickAt: now + 2_400,
    };
    expect(describeCounts(counts, now)).toBe(
      '3 running · 2 waiting · 1 parked · 4 in review · next tick in 3 s',
    );
    expect(describeCounts({ ...counts, parkedInReview: 1 }, now)).toContain(
      '1 parked · 4 in review (1 parked)',
    );
    expect(describeCounts(counts, now + 5_000)).toMatch(/a tick is due$/);
    expect(describeCounts({ ...counts, nextTickAt: undefined }, now)).toMatch(/4 in review$/);
  });

  test('shows nothing of a key that would steer the terminal', () => {
    const { narrator, text } = narrate(false);
    narrator.begin(host, started);
    narrator.tell({
      kind: 'fact',
      fact: { ...claimed.fact, key: 'A\u001b[2J\u202e', from: 'T\u0007' },
    } as HostEvent);
    expect(text()).toMatch(/ A +start +attempt 1 starts from "T"\n$/);
  });
});

describe('the trace on stderr', () => {
  function trace(tellAll: (narrator: ReturnType<typeof jsonNarrator>) => void): readonly unknown[] {
    const stream = new PassThrough();
    tellAll(jsonNarrator({ stream, isTerminal: false, isRich: false }, () => now));
    const text = String(stream.read() ?? '');
    return text === ''
      ? []
      : text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line));
  }

  test('has one line of JSON for each fact and nothing for what is no fact', () => {
    const lines = trace((narrator) => {
      narrator.begin(host, started);
      narrator.tell(claimed);
      narrator.tell({ kind: 'stopping', liveTurns: 1, graceMs: 20_000 });
      narrator.end({ kind: 'stopped', liveTurns: 0 });
    });
    expect(lines).toEqual([
      expect.objectContaining({ fact: 'alarm', reason: 'not-isolated' }),
      {
        time: '2026-11-29T10:00:00.000Z',
        fact: 'claimed',
        board: 'board',
        key: 'DEMO-1',
        attempt: 1,
        from: 'Todo',
      },
    ]);
  });

  test('tells trouble of the host as alarms', () => {
    const lines = trace((narrator) => {
      narrator.tell({ kind: 'tick-failed', problem: 'no answer', nextTickAt: now });
      narrator.tell({
        kind: 'workflow-broken',
        board: 'b',
        workflow: 'W.md',
        problems: [{ rule: 'required', path: 'tracker.kind', message: 'is missing' }],
      });
      narrator.end({ kind: 'failed', problem: 'the disk is full' });
      expect(narrator.fail('in use')).toBe(true);
    });
    expect(lines).toMatchObject([
      { fact: 'alarm', reason: 'tick-failed', problem: 'no answer' },
      { fact: 'alarm', reason: 'workflow-broken', problems: ['required tracker.kind: is missing'] },
      { fact: 'alarm', reason: 'host-failed', problem: 'the disk is full' },
      { fact: 'alarm', reason: 'start-refused', problem: 'in use' },
    ]);
  });
});
