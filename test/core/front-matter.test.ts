import { describe, expect, test } from 'vitest';
import { readFrontMatter } from '../../lib/core/front-matter.ts';

const read = (text: string) => readFrontMatter(text, 'FILE.md');
const messagesOf = (text: string) => {
  const found = read(text);
  if (!('problems' in found)) return [];
  // A fault of the file has no field, and nothing of a faulty file is given out.
  expect(found).toEqual({ problems: found.problems.map((problem) => ({ ...problem, path: '' })) });
  return found.problems.map(({ rule, message }) => `${rule}: ${message}`);
};

describe('front matter', () => {
  test.each([
    ['---\na: 1\n---\nbody\n', { a: 1 }, 'body\n', 4],
    ['---\na: 1\nb: [x]\n---\n\nbody', { a: 1, b: ['x'] }, '\nbody', 5],
    ['---\r\na: 1\r\n---\r\nbody\r\n', { a: 1 }, 'body\r\n', 4],
    ['\uFEFF---\na: 1\n---\nbody', { a: 1 }, 'body', 4],
    ['---\na: 1\n---\nb\uFEFFc', { a: 1 }, 'b\uFEFFc', 4],
    ['---  \na: 1\n--- \t\nbody', { a: 1 }, 'body', 4],
    ['---\na: 1\n---', { a: 1 }, '', 4],
    ['---\na: 1\n---\nbody\n---\nmore', { a: 1 }, 'body\n---\nmore', 4],
    ['---\na: "---"\nb: " ---"\n---\nbody', { a: '---', b: ' ---' }, 'body', 5],
    ['---\n1: 1\nnull: 2\n---\n', { '1': 1, null: 2 }, '', 5],
    ['---\n{}\n---\nbody', {}, 'body', 4],
  ])('of %j is read', (text, values, body, bodyLine) => {
    expect(read(text)).toEqual({ values, body, bodyLine });
  });

  test.each([
    '',
    'body',
    'a: 1\n---\nbody',
    '---\na: 1\n',
    '---',
    '\n---\na: 1\n---\n',
    '----\na: 1\n---\n',
    ' ---\na: 1\n---\n',
    '---\na: 1\n ---\n',
  ])('is missing in %j', (text) => {
    expect(messagesOf(text)).toEqual([
      'front-matter: FILE.md has no front matter: begin it with a line of "---", then YAML, then a second line of "---"',
    ]);
  });

  test.each([
    '---\n---\nbody',
    '---\n# nothing\n---\n',
    '---\n- a\n---\n',
    '---\ntext\n---\n',
    '---\n3\n---\n',
  ])('has to be a map, unlike %j', (text) => {
    expect(messagesOf(text)).toEqual([
      'front-matter: the front matter of FILE.md is no map: write "key: value" lines between the two lines of "---"',
    ]);
  });

  test.each([
    ['---\na: 1\na: 2\n---\n', 'yaml: FILE.md:3: Map keys must be unique'],
    ['---\na:\n  b: 1\n  b: 2\n---\n', 'yaml: FILE.md:4: Map keys must be unique'],
    ['---\na: !thing 1\n---\n', 'yaml: FILE.md:2: Unresolved tag: !thing'],
    ['---\n? [a]\n: 1\n---\n', 'yaml: FILE.md:2: With stringKeys, all keys must be strings'],
    ['---\na: *b\n---\n', 'yaml: FILE.md: Unresolved alias (the anchor must be set before the alias): b'],
  ])('of %j is refused with its line', (text, message) => {
    expect(messagesOf(text)).toEqual([message]);
  });

  test('that does not parse is told with every fault', () => {
    expect(messagesOf('---\na: 1\na: 2\nb: 1\nb: 2\n---\n')).toHaveLength(2);
    expect(messagesOf('---\na: [1\n---\n')[0]).toMatch(/^yaml: FILE\.md:\d+: /);
  });

  test('with aliases that expand without end is refused', () => {
    const levels = Array.from(
      { length: 12 },
      (_, at) => `k${at + 1}: &k${at + 1} [${`*k${at},`.repeat(10)}]`,
    );
    expect(messagesOf(`---\nk0: &k0 [x]\n${levels.join('\n')}\n---\n`)).toEqual([
      'yaml: FILE.md: Excessive alias count indicates a resource exhaustion attack',
    ]);
  });

  test('takes a merge key for a key like any other', () => {
    expect(read('---\na: &a {b: 1}\nc: {<<: *a}\n---\n')).toMatchObject({
      values: { c: { '<<': { b: 1 } } },
    });
  });
});
