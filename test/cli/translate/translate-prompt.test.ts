import { describe, expect, test } from 'vitest';
import { translatePrompt } from '../../../lib/cli/translate/translate-prompt.ts';

describe('a prompt is translated', () => {
  test('its key of an issue has another name, in tags only', () => {
    const { text } = translatePrompt(
      'issue.identifier {{ issue.identifier }}{% if x.issue.identifier == "issue.identifier" %}!{% endif %}',
    );
    expect(text).toBe(
      'issue.identifier {{ issue.key }}{% if x.issue.identifier == "issue.identifier" %}!{% endif %}',
    );
    expect(translatePrompt('{{ issue.identifier }}').notes).toEqual([]);
  });

  test('an issue without a text has none here as well', () => {
    expect(
      translatePrompt('{% if issue.description %}{{ issue.description }}{% else %}none{% endif %}').text,
    ).toBe('{% if issue.description != blank %}{{ issue.description }}{% else %}none{% endif %}');
  });

  test('a template of Go becomes Liquid, and its turns become attempts', () => {
    const { text, notes } = translatePrompt(
      '{{ .issue.identifier }}\n{{ if not .run.is_continuation }}new{{ else }}turn {{ .run.turn_number }}{{ end }}',
    );
    expect(text).toBe('{{ issue.key }}\n{% if attempt == blank %}new{% else %}turn {{ attempt }}{% endif %}');
    expect(notes.map(({ line, what }) => `${line} ${what}`)).toEqual([
      '2 run.is_continuation',
      '2 run.turn_number',
    ]);
  });
});

describe('a variable that there is not is named', () => {
  test.each([
    ['{{ issue.id }}', 'issue.id', 'the nearest is `issue.key`'],
    ['{% if issue.blocked_by %}x{% endif %}', 'issue.blocked_by', 'an issue that is blocked is not started'],
    ['{{ issue.descripton }}', 'issue.descripton', 'the nearest is `issue.description`'],
    ['{{ workspace }}', 'workspace', 'there is none near it (there are issue.key'],
    ['{{ issue.parent.identifier }}', 'issue.parent.identifier', 'there is none near it'],
  ])('%s', (prompt, what, says) => {
    expect(translatePrompt(`\n${prompt}`).notes).toEqual([
      { line: 2, what, says: expect.stringContaining(says) },
    ]);
  });

  test('once, however often it is used', () => {
    expect(translatePrompt('{{ issue.id }}\n{{ issue.id }}').notes).toHaveLength(1);
  });

  test('and not what the template makes itself, or what any list has', () => {
    const prompt =
      '{% for l in issue.labels %}{{ l }}{{ forloop.index }}{% endfor %}{% assign x = issue.title %}{{ x }}{{ issue.labels.size }}';
    expect(translatePrompt(prompt).notes).toEqual([]);
  });
});

test('what could not be translated is named beside it, in the order of the lines', () => {
  const { notes } = translatePrompt(
    '{{ .issue.id }}\n{{ if or .attempt (and .a .b) }}{{ .c }}\n{{ end }}\n{{ template "x" . }}',
  );
  expect(notes.map(({ line, what }) => `${line} ${what}`)).toEqual([
    '1 issue.id',
    '2 {{ if or .attempt (and .a .b) }}',
    '2 c',
    '4 {{ template "x" . }}',
  ]);
});
