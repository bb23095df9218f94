import { describe, expect, test } from 'vitest';
import { isGoTemplate, translateGoTemplate } from '../../../lib/cli/translate/go-template.ts';
import { parseTemplate, renderTemplate } from '../../../lib/core/template.ts';

describe('a template of Go becomes one of Liquid', () => {
  test.each([
    ['a variable', '{{ .issue.title }}', '{{ issue.title }}'],
    ['trimmed space', 'a {{- .issue.title -}} b', 'a {{- issue.title -}} b'],
    ['a comment, also one that looks like a tag', '{{/* {{x}} */}}', '{% comment %}   x   {% endcomment %}'],
    [
      'what is neither empty nor zero',
      '{{ if .issue.url }}a{{ end }}',
      '{% if issue.url != blank %}a{% endif %}',
    ],
    [
      'the other cases',
      '{{if .attempt}}a{{else if eq .issue.state "Todo"}}b{{else}}c{{end}}',
      '{% if attempt != blank %}a{% elsif issue.state == "Todo" %}b{% else %}c{% endif %}',
    ],
    ['what is not', '{{ if not .attempt }}a{{ end }}', '{% if attempt == blank %}a{% endif %}'],
    [
      'several conditions',
      '{{ if and .attempt (not .issue.url) (ne .issue.state "Done") }}a{{ end }}',
      '{% if attempt != blank and issue.url == blank and issue.state != "Done" %}a{% endif %}',
    ],
    [
      'a list, by its dot',
      '{{ range .issue.labels }}- {{ . }} of {{ $.issue.key }}{{ end }}',
      '{% for item in issue.labels %}- {{ item }} of {{ issue.key }}{% endfor %}',
    ],
    [
      'a list, counted',
      '{{ range $i, $l := .issue.labels }}{{ if $i }}, {{ end }}{{ $l }}{{ end }}',
      '{% for l in issue.labels %}{% if forloop.index0 != 0 %}, {% endif %}{{ l }}{% endfor %}',
    ],
    ['a list in one line', '{{ .issue.labels | join ", " }}', '{{ issue.labels | join: ", " }}'],
    ['the same as a function', '{{ join .issue.labels ", " }}', '{{ issue.labels | join: ", " }}'],
    [
      'a number of things',
      '{{ if gt (len .issue.labels) 1 }}a{{ end }}',
      '{% if issue.labels.size > 1 %}a{% endif %}',
    ],
    [
      'a narrower dot',
      '{{ with .issue.url }}{{ . }}{{ end }}',
      '{% if issue.url != blank %}{{ issue.url }}{% endif %}',
    ],
    [
      'a variable of its own',
      '{{ $t := .issue.title }}{{ $t | lower }}',
      '{% assign t = issue.title %}{{ t | downcase }}',
    ],
  ])('%s', (_, go, liquid) => {
    expect(translateGoTemplate(go)).toEqual({ text: liquid, left: [] });
    expect(() => parseTemplate(liquid)).not.toThrow();
  });

  test('and means the same: empty text, empty lists and zero are not', () => {
    const { text } = translateGoTemplate(
      '{{ if .a }}a{{ end }}{{ if not .b }}b{{ end }}{{ range $i, $x := .c }}{{ if $i }},{{ end }}{{ $x }}{{ end }}',
    );
    const render = (values: object) => renderTemplate(parseTemplate(text), values);
    expect(render({ a: '', b: [], c: [1, 2, 3] })).toBe('b1,2,3');
    expect(render({ a: 'x', b: ['x'], c: [] })).toBe('a');
    expect(render({ a: null, b: null, c: [1] })).toBe('b1');
  });

  test('what Liquid cannot say is left where it is, and named with its line', () => {
    const go =
      'one\n{{ template "x" . }}\n{{ if or .a (and .b .c) }}\nx{{ end }}\n{{ printf "%d" .a }}\n{{ .b }}';
    expect(translateGoTemplate(go)).toEqual({
      text: 'one\n{{ template "x" . }}\n{{ if or .a (and .b .c) }}\nx{% endif %}\n{{ printf "%d" .a }}\n{{ b }}',
      left: [
        { line: 2, action: '{{ template "x" . }}' },
        { line: 3, action: '{{ if or .a (and .b .c) }}' },
        { line: 5, action: '{{ printf "%d" .a }}' },
      ],
    });
  });
});

test.each([
  ['{{ .issue.title }}', true],
  ['{{- if not .attempt }}', true],
  ['{{range $i, $l := .x}}', true],
  ['{{ if and (not .x) .y }}', true],
  ['{{ issue.title }} ends with a dot. {% if attempt %}.{% endif %}', false],
  ['no tag at all, .issue', false],
])('%j is a template of Go: %s', (text, is) => {
  expect(isGoTemplate(text)).toBe(is);
});
