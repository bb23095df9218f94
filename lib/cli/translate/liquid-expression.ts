import type { GoExpression } from './go-expression.ts';

/** What the dot and the variables of a Go template stand for at one place. */
export interface GoScope {
  /** Undefined at the top, where the dot is everything. */
  readonly dot: string | undefined;
  /** Variables that count the rounds of a loop. */
  readonly counters: readonly string[];
}

/** The value in Liquid, with filters; undefined where Liquid has no such thing. */
export function toValue(expression: GoExpression, scope: GoScope): string | undefined {
  if (expression.kind !== 'call') return toOperand(expression, scope);
  const { name, of } = expression;
  const [first, second] = of.map((one) => toOperand(one, scope));
  if (first === undefined) return undefined;
  const filter = filters[name];
  if (of.length === 1 && filter !== undefined) return `${first} | ${filter}`;
  if (of.length === 1 && name === 'len') return `${first}.size`;
  if (of.length !== 2 || second === undefined) return undefined;
  // As a function and at the end of a pipe the two stand in opposite order.
  const [text, other] = of[0]!.kind === 'literal' ? [first, second] : [second, first];
  if (name === 'join') return `${other} | join: ${text}`;
  if (name === 'default') return `${other} | default: ${text}`;
  return name === 'index' ? `${first}[${second}]` : undefined;
}

/** The condition in Liquid, with Go's idea of what is true: neither empty, nor zero, nor nothing. */
export function toCondition(expression: GoExpression, scope: GoScope): string | undefined {
  if (expression.kind !== 'call') return toTruth(expression, scope, '!=');
  const { name, of } = expression;
  const [only] = of;
  if (name === 'not' && of.length === 1) return toOpposite(only!, scope);
  if (name === 'len' && of.length === 1) return toTruth(only!, scope, '!=');
  if (name === 'and' || name === 'or') {
    // Liquid has no brackets: only a chain of one and the same word means what it says.
    const parts = of.map((one) => toCondition(one, scope));
    const isMixed = parts.some((part) => part === undefined || / (and|or) /.test(part));
    return isMixed ? undefined : parts.join(` ${name} `);
  }
  return toComparison(name, of, scope);
}

const filters: Readonly<Record<string, string>> = {
  lower: 'downcase',
  upper: 'upcase',
  trim: 'strip',
  toJSON: 'json',
  json: 'json',
};
const comparisons: Readonly<Record<string, readonly [sign: string, opposite: string]>> = {
  eq: ['==', '!='],
  ne: ['!=', '=='],
  lt: ['<', '>='],
  le: ['<=', '>'],
  gt: ['>', '<='],
  ge: ['>=', '<'],
};

function toOpposite(expression: GoExpression, scope: GoScope): string | undefined {
  if (expression.kind !== 'call') return toTruth(expression, scope, '==');
  const { name, of } = expression;
  if (name === 'not' && of.length === 1) return toCondition(of[0]!, scope);
  return toComparison(name, of, scope, 'opposite');
}

function toTruth(expression: GoExpression, scope: GoScope, sign: '==' | '!='): string | undefined {
  const operand = toOperand(expression, scope);
  if (operand === undefined) return undefined;
  return operand === counter ? `${operand} ${sign} 0` : `${operand} ${sign} blank`;
}

function toComparison(
  name: string,
  of: readonly GoExpression[],
  scope: GoScope,
  which?: 'opposite',
): string | undefined {
  const signs = comparisons[name];
  const [left, right] = of.map((one) => toOperand(one, scope));
  if (signs === undefined || of.length !== 2 || left === undefined || right === undefined) return undefined;
  return `${left} ${signs[which === 'opposite' ? 1 : 0]} ${right}`;
}

const counter = 'forloop.index0';

/** What may stand in a condition: no filters. */
function toOperand(expression: GoExpression, scope: GoScope): string | undefined {
  if (expression.kind === 'literal') return expression.text;
  if (expression.kind === 'call') {
    const [only] = expression.of;
    const inner = only && expression.of.length === 1 ? toOperand(only, scope) : undefined;
    return expression.name === 'len' && inner !== undefined ? `${inner}.size` : undefined;
  }
  return toVariable(expression.text, scope);
}

function toVariable(path: string, { dot, counters }: GoScope): string | undefined {
  if (path.startsWith('$')) {
    const [variable = '', ...rest] = path.slice(1).split('.');
    if (variable === '') return rest.join('.') || undefined;
    return counters.includes(variable) ? counter : [variable, ...rest].join('.');
  }
  const rest = path.slice(1);
  if (dot === undefined) return rest === '' ? undefined : rest;
  return rest === '' ? dot : `${dot}.${rest}`;
}
