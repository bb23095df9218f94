import { type GoExpression, parseGoExpression } from './go-expression.ts';
import { type GoScope, toCondition, toValue } from './liquid-expression.ts';

/** A place of a template, in lines from 1, that could not be translated and was left as it is. */
export interface LeftOver {
  readonly line: number;
  readonly action: string;
}

/** Whether a prompt is a template of Go: its variables begin with a dot. */
export function isGoTemplate(text: string): boolean {
  const tags = [...text.matchAll(/\{\{([\s\S]*?)\}\}/g)].map(([, tag = '']) =>
    tag.replace(/"[^"]*"|'[^']*'/g, ''),
  );
  return tags.some((tag) => /(^|[\s(,-])[.$]/.test(tag));
}

/** A template of Go as one of Liquid, line by line the same. */
export function translateGoTemplate(text: string): {
  readonly text: string;
  readonly left: readonly LeftOver[];
} {
  const blocks: Block[] = [];
  const left: LeftOver[] = [];
  let translated = '';
  let from = 0;
  for (const found of text.matchAll(actions)) {
    translated += text.slice(from, found.index);
    from = found.index + found[0].length;
    const [whole, open, comment, action, close] = found as unknown as readonly string[];
    const liquid =
      comment === undefined
        ? translateAction(action!, blocks)
        : { tag: `comment %}${plain(comment)}{% endcomment` };
    if (liquid === undefined) {
      left.push({ line: translated.split('\n').length, action: whole! });
      translated += whole;
    } else if (liquid.tag !== undefined) translated += `{%${open} ${liquid.tag} ${close}%}`;
    else translated += `{{${open} ${liquid.value} ${close}}}`;
  }
  return { text: translated + text.slice(from), left };
}

const actions = /\{\{(-?)\s*(?:\/\*([\s\S]*?)\*\/|([\s\S]*?))\s*(-?)\}\}/g;

interface Block {
  readonly end: 'endif' | 'endfor';
  readonly scope: GoScope;
}

type Liquid =
  | { readonly tag: string; readonly value?: undefined }
  | { readonly tag?: undefined; readonly value: string };

/** A comment must not look like a tag. */
function plain(comment: string): string {
  return comment.replaceAll(/[{}%]/g, ' ');
}

function translateAction(action: string, blocks: Block[]): Liquid | undefined {
  const scope = blocks.at(-1)?.scope ?? { dot: undefined, counters: [] };
  const [, word = '', rest = ''] = /^(if|else if|else|end|range|with)\b\s*([\s\S]*)$/.exec(action) ?? [];
  switch (word) {
    case 'if':
    case 'else if': {
      const condition = readCondition(rest, scope);
      // A block that is not understood ends all the same; its end must not end another one.
      if (word === 'if') blocks.push({ end: 'endif', scope });
      return condition === undefined ? undefined : { tag: `${word === 'if' ? 'if' : 'elsif'} ${condition}` };
    }
    case 'else':
      return { tag: 'else' };
    case 'end': {
      const block = blocks.pop();
      return block && { tag: block.end };
    }
    case 'range':
      return translateRange(rest, scope, blocks);
    case 'with': {
      const dot = readValue(rest, scope);
      const condition = readCondition(rest, scope);
      blocks.push({ end: 'endif', scope: { ...scope, dot: dot ?? scope.dot } });
      return dot === undefined || condition === undefined ? undefined : { tag: `if ${condition}` };
    }
    default:
      return translateOutput(action, scope);
  }
}

function translateOutput(action: string, scope: GoScope): Liquid | undefined {
  const [, variable, assigned] = /^\$(\w+)\s*:?=\s*([\s\S]+)$/.exec(action) ?? [];
  const value = readValue(assigned ?? action, scope);
  if (value === undefined) return undefined;
  return variable === undefined ? { value } : { tag: `assign ${variable} = ${value}` };
}

function translateRange(action: string, scope: GoScope, blocks: Block[]): Liquid | undefined {
  const [, first, second, over] = /^(?:\$(\w+)\s*(?:,\s*\$(\w+)\s*)?:=\s*)?([\s\S]+)$/.exec(action) ?? [];
  const depth = blocks.filter(({ end }) => end === 'endfor').length;
  const item = second ?? first ?? (depth === 0 ? 'item' : `item${depth + 1}`);
  const counters = second === undefined ? scope.counters : [...scope.counters, first!];
  const list = readValue(over ?? '', scope);
  blocks.push({ end: 'endfor', scope: { dot: item, counters } });
  return list === undefined || list.includes('|') ? undefined : { tag: `for ${item} in ${list}` };
}

function readCondition(text: string, scope: GoScope): string | undefined {
  return understood(text, (expression) => toCondition(expression, scope));
}

function readValue(text: string, scope: GoScope): string | undefined {
  return understood(text, (expression) => toValue(expression, scope));
}

function understood(text: string, to: (expression: GoExpression) => string | undefined): string | undefined {
  const expression = parseGoExpression(text.trim());
  return expression && to(expression);
}
