import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandsFor, withCommands } from '../../lib/cli/commands-for.ts';

describe('a command that a text names', () => {
  test.each([
    [{}, 'evenkeel resume'],
    [{ data: '.evenkeel' }, 'evenkeel resume'],
    [{ data: '/srv/keel' }, 'evenkeel resume --data /srv/keel'],
    [
      { data: '.evenkeel', workflow: ['a.md', 'b/c d.md'] },
      "evenkeel resume --workflow a.md --workflow 'b/c d.md'",
    ],
    [{ stack: 'keel', data: '/srv/keel' }, 'evenkeel resume --stack keel'],
    [
      { stack: 'keel', region: 'eu-west-1', profile: "Ann's" },
      String.raw`evenkeel resume --stack keel --region eu-west-1 --profile 'Ann'\''s'`,
    ],
  ])('asked with %o is %s', (target, told) => {
    expect(commandsFor(target)('resume')).toBe(told);
  });

  test('leaves out what the environment says already', () => {
    expect(commandsFor({ data: '/srv/keel' }, { EVENKEEL_DATA: '/srv/keel' })('plan')).toBe('evenkeel plan');
  });

  test('has its words as a shell takes them', () => {
    const command = commandsFor({ stack: 'keel' });
    expect(command('explain', 'web#42')).toBe('evenkeel explain web#42 --stack keel');
    expect(command('explain', 'a b')).toBe("evenkeel explain 'a b' --stack keel");
    expect(command('explain', '#4')).toBe("evenkeel explain '#4' --stack keel");
    expect(command('explain', '$(id)`id`')).toBe("evenkeel explain '$(id)`id`' --stack keel");
  });

  test('is written so wherever an answer says what to do, and nothing else of the answer changes', () => {
    const answer = {
      title: 'evenkeel resume',
      boards: [{ decisions: [{ toResume: 'evenkeel resume' }, { toResume: 'move the card' }, {}] }],
      parked: null,
      since: undefined,
      toResume: null,
    };
    expect(withCommands(answer, commandsFor({ stack: 'keel' }))).toEqual({
      ...answer,
      boards: [
        { decisions: [{ toResume: 'evenkeel resume --stack keel' }, { toResume: 'move the card' }, {}] },
      ],
    });
  });
});

/** Lines of code that name a command which is about one deployment, apart from comments and examples of a help. */
function linesThatNameCommands(folder: string): readonly string[] {
  const asking = /evenkeel (status|plan|explain|history|logs|tick|pause|resume|bootstrap)\b/;
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => {
      const code = readFileSync(join(folder, file), 'utf8').replace(/examples: \[[^\]]*\]/g, '');
      const lines = code.split('\n').filter((line) => !/^\s*(\/\/|\/?\*)/.test(line));
      return lines.filter((line) => asking.test(line)).map((line) => `${file}: ${line.trim()}`);
    });
}

test('no text names a command about a deployment without saying of which', () => {
  const found = ['core', 'controller', 'host', 'cli'].flatMap((part) =>
    linesThatNameCommands(`lib/${part}`).map((line) => `${part}/${line}`),
  );
  expect(found).toEqual([
    // A remedy, which is made copyable where it is told.
    expect.stringMatching(/^core\/admission\.ts: .*toResume: 'evenkeel resume'/),
    // Says of which by itself.
    expect.stringMatching(/^host\/data-lock\.ts: .*`evenkeel status --data \$\{dataDir\}/),
    // What takes the place of a key of another system: no deployment is there yet.
    expect.stringMatching(/^cli\/translate\/key-rules\.ts: /),
  ]);
});
