import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkTemplate, cleanText, promptVariables, renderPrompt } from '../../lib/core/prompt.ts';
import { buildIssue, type IssueFields } from '../support/build-issue.ts';

const render = (prompt: string, issue: IssueFields = {}, attempt = 1, feedback?: string) =>
  renderPrompt({ prompt }, buildIssue(issue), attempt, feedback);
const problemOf = (prompt: string, issue: IssueFields = {}) => {
  const answer = render(prompt, issue);
  return 'problem' in answer ? answer.problem : undefined;
};

describe('a prompt', () => {
  test('is the template with the fields of the issue in their places', () => {
    const template =
      '{{ issue.key }}|{{ issue.title }}|{{ issue.description }}|{{ issue.labels | join: "," }}|{{ issue.assignees | join: "," }}|{{ issue.priority }}|{{ issue.state }}|{{ issue.url }}';
    const issue = {
      key: 'web#42',
      title: 'Fix it',
      description: 'Please.\n\n- now',
      labels: ['agent', 'bug'],
      assignees: ['alice', 'bob'],
      priority: 2,
      state: 'In Progress',
      url: 'https://example.org/42',
    } as const;
    expect(render(template, issue)).toEqual({
      prompt: 'web#42|Fix it|Please.\n\n- now|agent,bug|alice,bob|2|In Progress|https://example.org/42',
    });
  });

  test('shows nothing for what the issue does not have', () => {
    const template =
      'a{{ issue.priority }}{{ issue.state }}{{ issue.url }}{{ issue.labels }}{{ feedback }}{{ attempt }}b';
    expect(render(template, { state: undefined })).toEqual({ prompt: 'ab' });
    expect(
      render('{% if issue.url == nil and issue.state == nil and issue.priority == nil %}none{% endif %}', {
        state: undefined,
      }),
    ).toEqual({ prompt: 'none' });
  });

  test.each([
    [1, 'first'],
    [2, 'turn 2'],
    [7, 'turn 7'],
  ])('knows in attempt %i that this is the %s', (attempt, text) => {
    expect(
      render('{% if attempt == nil %}first{% else %}turn {{ attempt }}{% endif %}', {}, attempt),
    ).toEqual({ prompt: text });
  });

  test('carries the feedback of the last turn', () => {
    expect(render('{% if feedback %}before: {{ feedback }}{% endif %}', {}, 2, 'gate failed')).toEqual({
      prompt: 'before: gate failed',
    });
  });

  test('shows lists without separators and numbers as they are', () => {
    expect(render('{{ issue.labels }} {{ 3 }} {{ true }}', { labels: ['a', 'b'] })).toEqual({
      prompt: 'ab 3 true',
    });
  });

  test('is known in each variable that is documented', () => {
    const issue = { url: 'u', priority: 1 } as const;
    for (const { name } of promptVariables)
      expect(render(`x{{ ${name} }}`, issue, 2, 'f')).toHaveProperty('prompt');
  });

  test('never runs what stands in an issue', () => {
    const text = '{{ issue.key }} {% raw %} {{ nope }} {% if %}';
    expect(render('{{ issue.title }}', { title: text })).toEqual({ prompt: text });
  });
});

describe('a prompt is refused with the place in the template', () => {
  test.each([
    ['{{ nope }}', 'line 1 of the template: nope'],
    ['a\n\n{{ issue.nope }}', 'line 3 of the template: issue.nope'],
    ['{{ issue.title.nope }}', 'line 1 of the template: issue.title.nope'],
    ['{{ issue.constructor }}', 'line 1 of the template: issue.constructor'],
    ['{% if nope %}x{% endif %}', 'line 1 of the template: nope'],
    ['{{ issue.id }}', 'line 1 of the template: issue.id'],
    ['{{ workflow }}', 'line 1 of the template: workflow'],
  ])('for the unknown variable in %j', (template, place) => {
    const known = promptVariables.map(({ name }) => name).join(', ');
    expect(problemOf(template)).toBe(
      `the prompt template cannot be rendered: unknown variable in ${place} (known: ${known})`,
    );
  });

  test.each([
    ['{% for i in (1..100000000) %}a{% endfor %}', 'memory alloc limit exceeded in line 1'],
    [
      '\n{% assign a = "x" %}{% for i in (1..40) %}{% assign a = a | append: a %}{% endfor %}',
      'memory alloc limit exceeded in line 2',
    ],
  ])('for the limit that %j exceeds', (template, message) => {
    expect(problemOf(template)).toContain(
      `the prompt template cannot be rendered: ${message} of the template: `,
    );
  });

  test.each(['{{ issue.title | nope }}', '{% nope %}'])('for the fault in %j', (template) => {
    expect(problemOf(`\n${template}`)).toBe(
      `the prompt template cannot be rendered: a fault in line 2 of the template: ${template}`,
    );
  });

  test('for a fault that has no text of its own', () => {
    expect(problemOf('\n{% if %}')).toBe(
      'the prompt template cannot be rendered: a fault in line 2 of the template',
    );
  });

  test('of which at most 80 characters are shown', () => {
    const long = `{{ 'x' | ${'n'.repeat(200)} }}`;
    expect(problemOf(long)).toMatch(/: \{\{ 'x' \| n{71}$/);
  });

  test.each(['{% if attempt %}again{% endif %}', '{{ feedback }}', ' \n\t{{ issue.url }}'])(
    'when it renders to nothing: %j',
    (template) => {
      expect(problemOf(template)).toBe('the prompt template renders to nothing for this issue');
    },
  );

  const tooLong =
    'the prompt template cannot be rendered: the prompt is longer than 262144 bytes; shorten the template or the issue';
  test.each([
    ['letters', 'a'.repeat(262_145), ''],
    ['bytes', 'ü'.repeat(131_072), 'a'],
  ])('when it has too many %s', (_, description, rest) => {
    expect(problemOf(`{{ issue.description }}${rest}`, { description })).toBe(tooLong);
  });

  test('and not when it is just as long as it may be', () => {
    expect(problemOf('{{ issue.description }}', { description: 'a'.repeat(262_144) })).toBeUndefined();
    expect(problemOf('{{ issue.description }}', { description: 'ü'.repeat(131_072) })).toBeUndefined();
  });

  test('as soon as the output is too long, not when all of it is there', () => {
    const nested =
      '{% for i in (1..1000) %}{% for j in (1..1000) %}{{ issue.description }}{% endfor %}{% endfor %}';
    expect(problemOf(nested, { description: 'a'.repeat(100_000) })).toBe(tooLong);
  });

  test.each([
    '{{ issue[issue.title] }}',
    '{{ issue.labels | where_exp: "x", issue.title }}',
    '{{ issue.labels | group_by_exp: "x", issue.title }}',
    '{{ nope[issue.title] }}',
    '{% for i in (1..100000000) %}{{ issue.title }}{% endfor %}',
    '{% include issue.title %}',
    '{{ issue.title | date: issue.description }}',
  ])('without a word of the issue: %j', (template) => {
    const problem = problemOf(template, { title: 'SECRET', description: 'SECRET', labels: ['secret'] });
    expect(problem).toBeDefined();
    expect(problem).not.toMatch(/secret/i);
  });
});

describe('a template', () => {
  const check = (template: string, line = 1) =>
    checkTemplate(template, 'WORKFLOW.md', line).map(({ message }) => message);

  test.each([
    'Do {{ issue.key }}',
    '{{ nope }}',
    '{% if attempt %}x{% endif %}',
    '{{ issue.labels | join: ", " }}',
    'a'.repeat(262_144),
  ])('that may be used has no problems', (template) => {
    expect(check(template)).toEqual([]);
  });

  test.each(['', ' \n\t\n'])('that is blank is refused: %j', (template) => {
    expect(checkTemplate(template, 'WORKFLOW.md', 1)).toEqual([
      {
        rule: 'prompt',
        path: '',
        message: 'WORKFLOW.md has no prompt: an agent would be told nothing; write it below the front matter',
      },
    ]);
  });

  test('that is longer than any prompt may be is refused', () => {
    expect(check('a'.repeat(262_145))).toEqual([
      'the prompt template of WORKFLOW.md has more than 262144 characters: shorten it',
    ]);
  });

  test.each([
    ['{% if x %}', 'tag {% if x %} not closed'],
    ['{{ x', 'output "{{ x" not closed'],
    ['{{ x | nope }}', 'undefined filter: nope'],
    ['{% nope %}', 'tag "nope" not found'],
    ['{% include "file" %}', 'tag "include" not found'],
    ['{% render "file" %}', 'tag "render" not found'],
    ['{% layout "file" %}', 'tag "layout" not found'],
    ['{% block x %}{% endblock %}', 'tag "block" not found'],
    ['{{ "now" | date: "%Y" }}', 'undefined filter: date'],
    ['{{ "now" | date_to_xmlschema }}', 'undefined filter: date_to_xmlschema'],
    ['{{ issue.labels | sample }}', 'undefined filter: sample'],
    ['{{ issue.labels | where_exp: "a", "b" }}', 'undefined filter: where_exp'],
    ['{{ issue.labels | find_exp: "a", "b" }}', 'undefined filter: find_exp'],
  ])('with the fault %j is refused with the line of the file', (template, message) => {
    expect(check(template, 1)).toEqual([
      `the prompt template of WORKFLOW.md is not valid: ${message} (line 1)`,
    ]);
    expect(check(`a\n\n${template}`, 5)).toEqual([
      `the prompt template of WORKFLOW.md is not valid: ${message} (line 7)`,
    ]);
  });

  test('that nests too deep is refused, not thrown', () => {
    expect(check('{% if a %}'.repeat(14_000) + '{% endif %}'.repeat(9_000))).toHaveLength(1);
  });
});

describe('the text of an issue', () => {
  test.each([
    ['a<!-- b -->c', 'a c'],
    ['a<!-- b\nc -->d<!--e-->f', 'a d f'],
    ['a<!-- never closed', 'a '],
    ['a<!-- never closed\nb', 'a '],
    ['a<!<!-- x -->-- b -->', 'a<! -- b -->'],
    ['<!-', '<!-'],
    ['a\u200Bb\u200Cc\u200Dd\u2060e\uFEFFf', 'abcdef'],
    [
      'a\u200Eb\u200Fc\u202Ad\u202Be\u202Cf\u202Dg\u202Eh\u2066i\u2067j\u2068k\u2069l\u061Cm',
      'abcdefghijklm',
    ],
    ['a\u{E0041}\u{E0001}b\u{E01EF}c\u00ADd', 'abcd'],
    ['<!\u200B-- hidden -->', ' '],
    ['a\u0000b\u001B[31mc\u007Fd\u0085e', 'ab[31mcde'],
    ['a\tb\r\nc', 'a\tb\r\nc'],
    ['Grüße, 日本語 👍 {{ x }}', 'Grüße, 日本語 👍 {{ x }}'],
  ])('%j is given as %j', (text, clean) => {
    expect(cleanText(text)).toBe(clean);
    expect(render('{{ issue.title }}|{{ issue.description }}|', { title: text, description: text })).toEqual({
      prompt: `${clean}|${clean}|`,
    });
  });

  test('never holds a comment after it was cleaned, and is not changed again', () => {
    const text = fc.string({
      unit: fc.constantFrom('<!--', '-->', '<', '!', '-', '>', 'a', '\u200B', '\n'),
      maxLength: 40,
    });
    fc.assert(
      fc.property(text, (raw) => {
        const clean = cleanText(raw);
        expect(clean).not.toContain('<!--');
        expect(cleanText(clean)).toBe(clean);
      }),
    );
  });
});
