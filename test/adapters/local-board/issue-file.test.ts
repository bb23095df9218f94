import { describe, expect, test } from 'vitest';
import { parseIssueFile } from '../../../lib/adapters/local-board/issue-file.ts';

const parse = (text: string) => parseIssueFile(Buffer.from(text));

describe('an issue file is understood', () => {
  test('with all its fields', () => {
    const text = [
      '---',
      'title: Mend the gate',
      'state: In Progress',
      'priority: 2',
      'labels: [Agent, " bug ", agent]',
      'blocked_by: [A-1, A-2, A-1]',
      'assignees: [alice, bob, alice]',
      'created_at: 2026-11-29T12:00:00Z',
      '---',
      '',
      'It creaks.',
      '',
    ].join('\n');
    expect(parse(text)).toEqual({
      kind: 'issue',
      title: 'Mend the gate',
      state: 'In Progress',
      priority: 2,
      labels: ['agent', 'bug'],
      blockedBy: ['A-1', 'A-2'],
      assignees: ['alice', 'bob'],
      createdAt: Date.parse('2026-11-29T12:00:00Z'),
      description: 'It creaks.',
    });
  });

  test.each([
    ['with Windows line ends', '---\r\ntitle: T\r\nstate: Todo\r\n---\r\nBody\r\n', 'Body'],
    ['after a byte order mark', '\uFEFF---\ntitle: T\nstate: Todo\n---\nBody\n', 'Body'],
    ['without a line end after the front matter', '---\ntitle: T\nstate: Todo\n---', ''],
    ['without a line end after the body', '---\ntitle: T\nstate: Todo\n---\nBody', 'Body'],
    ['with spaces behind the lines', '---  \ntitle: T\nstate: Todo\n--- \t\nBody', 'Body'],
    ['closed by three dots', '---\ntitle: T\nstate: Todo\n...\nBody', 'Body'],
    [
      'with three dashes in the body',
      '---\ntitle: T\nstate: Todo\n---\nA\n---\nstate: Done\n---\nB',
      'A\n---\nstate: Done\n---\nB',
    ],
    [
      'with unknown fields and comments',
      '---\n# note\ntitle: T\nowner: {name: me}\nstate: Todo # now\n---\nB',
      'B',
    ],
    [
      'with lines of its own kind in a field',
      '---\ntitle: "T"\nstate: Todo\nnote: |\n  ---\n  x\n---\nB',
      'B',
    ],
  ])('%s', (_, text, description) => {
    expect(parse(text)).toMatchObject({ kind: 'issue', title: 'T', state: 'Todo', description });
  });

  test.each([
    ['a block', 'state: >-\n  Todo'],
    ['said elsewhere', 'note: &s Todo\nstate: *s'],
    ['what others refer to', 'state: &s Todo'],
  ])('is broken where its state is %s, which could not be moved', (_, lines) => {
    expect(parse(`---\ntitle: T\n${lines}\n---\n`)).toMatchObject({
      kind: 'broken',
      problem: expect.stringContaining('one plain line'),
    });
  });

  test.each([
    ['2026', '2026'],
    ['yes', 'yes'],
    ['0x10', '0x10'],
    ['"a: b"', 'a: b'],
    ['Zurück – 戻る', 'Zurück – 戻る'],
  ])('with %s as a title, which is text whatever it looks like', (written, title) => {
    expect(parse(`---\ntitle: ${written}\nstate: Todo\n---\n`)).toMatchObject({ kind: 'issue', title });
  });

  test('with fields that are left blank', () => {
    const text = '---\ntitle: T\nstate: Todo\nlabels:\nblocked_by:\npriority:\ncreated_at:\n---\n';
    expect(parse(text)).toMatchObject({
      labels: [],
      blockedBy: [],
      priority: undefined,
      createdAt: undefined,
    });
  });

  test('with an alias of a text', () => {
    expect(parse('---\nnote: &t Creaks\ntitle: *t\nstate: Todo\n---\n')).toMatchObject({ title: 'Creaks' });
  });

  test.each([
    ['holds itself', 'note: &a [*a]'],
    ['would unfold without end', `a: &a [x,x,x,x,x,x,x,x,x]\n${unfolding('bcdefghijk')}`],
    ['is nested a hundred times', `note: ${'['.repeat(100)}${']'.repeat(100)}`],
  ])('with a field of no concern that %s', (_, lines) => {
    expect(parse(`---\ntitle: T\n${lines}\nstate: Todo\n---\n`)).toMatchObject({
      kind: 'issue',
      state: 'Todo',
    });
  });

  test('with a single label or blocker instead of a list', () => {
    expect(parse('---\ntitle: T\nstate: Todo\nlabels: agent\nblocked_by: 7\n---\n')).toMatchObject({
      labels: ['agent'],
      blockedBy: ['7'],
    });
  });
});

describe('an issue file is broken', () => {
  test.each(['', 'state:\n', 'state: ""\n', 'state: null\n', 'state: "  "\n', '# state: Todo\n'])(
    'without a state: %j',
    (line) => {
      expect(parse(`---\ntitle: T\n${line}---\n`)).toEqual({
        kind: 'broken',
        problem: expect.stringContaining('it has no state: write a `state:` line'),
        conflictingStates: false,
      });
    },
  );

  test.each([
    ['empty, as in the moment of a save', '', 'empty'],
    ['blank', ' \n\n', 'empty'],
    ['without front matter', '# Title\n\nBody\n', 'front matter'],
    ['cut off in its front matter', '---\ntitle: T\nsta', 'not closed'],
    ['with dashes that close nothing', '---\ntitle: T\n----\n --- \nBody', 'not closed'],
    ['with front matter that is no map', '---\n- a\n- b\n---\n', '"name: value"'],
    ['with empty front matter', '---\n---\nBody', '"name: value"'],
    ['with bad YAML', '---\ntitle: T\nstate: [Todo\n---\n', 'not valid YAML'],
    ['without a title', '---\nstate: Todo\n---\n', '`title:`'],
    ['with a blank title', '---\ntitle: " "\nstate: Todo\n---\n', '`title:`'],
    ['with a list as its state', '---\ntitle: T\nstate: [Todo, Done]\n---\n', '`state`'],
    ['with an unknown priority', '---\ntitle: T\npriority: 5\n---\n', '`priority`'],
    ['with a word as priority', '---\ntitle: T\npriority: high\n---\n', '`priority`'],
    ['with a map as labels', '---\ntitle: T\nlabels: {a: b}\n---\n', '`labels`'],
    ['with a list in a list of blockers', '---\ntitle: T\nblocked_by: [[A-1]]\n---\n', '`blocked_by`'],
    ['with no date where one belongs', '---\ntitle: T\ncreated_at: soon\n---\n', '`created_at`'],
    ['with an alias of nothing', '---\ntitle: T\nstate: *x\n---\n', '`state`'],
    ['with a list that holds itself as labels', '---\ntitle: T\nlabels: &a [*a]\n---\n', '`labels`'],
    [
      'with more front matter than anybody writes',
      `---\ntitle: T\nnote: ${'['.repeat(40_000)}\n---\n`,
      '32 KiB',
    ],
    [
      'nested beyond all reason',
      `---\ntitle: T\nnote: ${'['.repeat(15_000)}${']'.repeat(15_000)}\n---\n`,
      '',
    ],
    ['with two titles', '---\ntitle: T\ntitle: U\nstate: Todo\n---\n', 'twice'],
  ])('%s', (_, text, problem) => {
    expect(parse(text)).toEqual({
      kind: 'broken',
      problem: expect.stringContaining(problem),
      conflictingStates: false,
    });
  });

  test('when it is not UTF-8', () => {
    const bytes = Buffer.from([...Buffer.from('---\ntitle: T\n---\n'), 0xff, 0xfe]);
    expect(parseIssueFile(bytes)).toMatchObject({
      kind: 'broken',
      problem: expect.stringContaining('UTF-8'),
    });
  });

  test.each(['state: Todo\nstate: Done', 'state: Todo\nstate: Todo', '"state": Todo\ntitle: U\nstate: Done'])(
    'with two states, which is told apart: %s',
    (lines) => {
      expect(parse(`---\ntitle: T\n${lines}\n---\n`)).toMatchObject({
        kind: 'broken',
        conflictingStates: true,
      });
    },
  );

  test('and the problem quotes nothing of the file', () => {
    for (const text of [
      '---\ntitle: hush hush: hush\n---\n',
      '---\n"hush": [\n---\n',
      '---\ntitle: T\npriority: hush\n---\n',
    ]) {
      expect(JSON.stringify(parse(text))).not.toContain('hush');
    }
  });
});

/** Each list names the one before nine times. */
function unfolding(names: string): string {
  const lists = [...names].map((name, index) => {
    const before = String.fromCharCode(97 + index);
    return `${name}: &${name} [${Array(9).fill(`*${before}`).join(',')}]`;
  });
  return lists.join('\n');
}
