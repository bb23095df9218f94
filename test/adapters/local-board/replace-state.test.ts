import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseIssueFile } from '../../../lib/adapters/local-board/issue-file.ts';
import { replaceState } from '../../../lib/adapters/local-board/replace-state.ts';

const stateOf = (text: string) => {
  const file = parseIssueFile(Buffer.from(text));
  return file.kind === 'issue' ? file.state : file.problem;
};

describe('replacing the state', () => {
  test.each([
    ['state: Todo', 'In Progress', 'state: In Progress'],
    ['state:   Todo   # since Monday', 'Done', 'state:   Done   # since Monday'],
    ["state: 'Todo'", "Won't do", "state: 'Won''t do'"],
    ['state: "Todo"', 'Done', 'state: "Done"'],
    ['"state" : Todo', 'Done', '"state" : Done'],
    ['state: Todo', 'yes', 'state: "yes"'],
    ['state: Todo', 'Ready: QA #1', 'state: "Ready: QA #1"'],
    ['state: Todo', '2nd look', 'state: "2nd look"'],
    ['state: In\n  Progress', 'Done', 'state: Done'],
    ['state: !!str Todo', 'Done', 'state: !!str Done'],
  ])('turns %j into the state %j as %j', (line, state, expected) => {
    const text = (inner: string) => `---\ntitle: T\n${inner}\nlabels: [state]\n---\nstate: Todo\n`;
    expect(replaceState(text(line), state)).toBe(text(expected));
    expect(stateOf(text(expected))).toBe(state);
  });

  test.each([
    ['there is none', 'labels: []'],
    ['it is blank', 'state:'],
    ['there are two', 'state: Todo\nstate: Done'],
    ['it is a list', 'state: [Todo]'],
    ['it is said elsewhere', 'note: &s Todo\nstate: *s'],
    ['others say the same by it', 'state: &s Todo\nnote: {deep: *s}'],
    ['it is a block', 'state: |\n  Todo'],
  ])('is refused where %s', (_, lines) => {
    expect(replaceState(`---\ntitle: T\n${lines}\n---\n`, 'Done')).toBeUndefined();
  });

  test('leaves every other byte as it was, and the state reads as the new one', () => {
    fc.assert(
      fc.property(issueTexts, stateNames, ({ before, value, after }, state) => {
        const changed = replaceState(before + value + after, state);
        expect(changed).toBeDefined();
        expect(changed?.startsWith(before)).toBe(true);
        expect(changed?.endsWith(after)).toBe(true);
        const written = changed?.slice(before.length, changed.length - after.length) ?? '';
        expect(written).not.toMatch(/[\r\n]/);
        expect(stateOf(changed ?? '')).toBe(state);
      }),
      { numRuns: 500 },
    );
  });
});

const stateNames = fc
  .oneof(
    fc.constantFrom(
      'In Progress',
      'Done',
      'yes',
      'null',
      '~',
      '1',
      '0x1f',
      '- x',
      '# no',
      "it's",
      '"',
      'a: b',
      '{x}',
      '---',
      '...',
      '*a',
      '戻る',
    ),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
  )
  .map((name) => name.replaceAll(/\p{Cc}/gu, ' ').trim())
  .filter((name) => name !== '');

const fields = fc.constantFrom(
  'labels: [a, "b: c", state]',
  '# state: Todo',
  '',
  'note: |\n  state: Todo\n  ---\n',
  'owner: { state: Todo, name: "x" }',
  'blocked_by:\n  - A-1\n  - A-2',
  'priority: 3',
  'quote: "a \\" b"',
);

/** A sound issue file in three pieces, the middle one being the state's value. */
const issueTexts = fc
  .record({
    mark: fc.constantFrom('', '\uFEFF'),
    above: fc.uniqueArray(fields, { maxLength: 4 }),
    below: fc.uniqueArray(fields, { maxLength: 4 }),
    space: fc.constantFrom(' ', '  ', '\t'),
    value: fc.constantFrom('Todo', "'To do'", '"To do"', 'In Progress', '7', '"it\\u0027s"'),
    comment: fc.constantFrom('', ' # state: Done', '   '),
    body: fc.oneof(fc.string(), fc.constantFrom('---\nstate: Todo\n---\n', 'no line end', '\n\nstate: x\n')),
    lineEnd: fc.constantFrom('\n', '\r\n'),
  })
  .map(({ mark, above, below, space, value, comment, body, lineEnd }) => {
    const rest = below.filter((line) => !above.includes(line) || line === '' || line.startsWith('#'));
    const write = (lines: readonly string[]) =>
      lines
        .map((line) => `${line}\n`)
        .join('')
        .replaceAll('\n', lineEnd);
    return {
      before: `${mark}${write(['---', 'title: T', ...above])}state:${space}`,
      value,
      after: `${comment}${lineEnd}${write([...rest, '---'])}${body}`,
    };
  });
