import { isScalar, type ParsedNode, type Scalar } from 'yaml';
import { type FrontMatter, readFrontMatter } from './front-matter.ts';

/**
 * The text of an issue's file with another state; everything but the state's value is as it was, to the byte. Undefined
 * where that cannot be done: there is not exactly one `state:` with one plain value.
 */
export function replaceState(text: string, state: string): string | undefined {
  const before = readFrontMatter(text);
  if ('problem' in before) return undefined;
  const states = before.fields.filter(({ name }) => name === 'state');
  const node = states.length === 1 ? states[0]?.node : undefined;
  if (!isReplaceable(node) || node.value === null) return undefined;
  const [from, to] = [before.start + node.range[0], before.start + node.range[1]];
  const after = text.slice(0, from) + write(state, node) + text.slice(to);
  return saysOnly(after, before, state) ? after : undefined;
}

/** Whether a value is one plain or quoted text that nothing else refers to: what is written otherwise is for a person to move. */
export function isReplaceable(node: ParsedNode | null | undefined): node is Scalar.Parsed {
  return isScalar(node) && node.anchor === undefined && inLine.has(node.type ?? '');
}

const inLine: ReadonlySet<string> = new Set(['PLAIN', 'QUOTE_SINGLE', 'QUOTE_DOUBLE']);

/** In the quotes that stood there; without quotes where the name needs none. */
function write(state: string, node: ParsedNode): string {
  const type = isScalar(node) ? node.type : undefined;
  if (type === 'QUOTE_SINGLE') return `'${state.replaceAll("'", "''")}'`;
  if (type === 'QUOTE_DOUBLE' || !isPlain(state)) return JSON.stringify(state);
  return state;
}

/** Words that no reader of YAML, of any version, takes for something else than text. */
function isPlain(state: string): boolean {
  const isWords = /^\p{L}[\p{L}\p{M}\p{N}_/-]*(?: [\p{L}\p{M}\p{N}_/-]+)*$/u.test(state);
  return isWords && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(state);
}

/** Reads the new text again: an anchor, a block or a tag may make a replaced value mean more than one field. */
function saysOnly(text: string, before: FrontMatter, state: string): boolean {
  const after = readFrontMatter(text);
  if ('problem' in after || after.body !== before.body) return false;
  const expected = before.fields.map(({ name, value }) => [name, name === 'state' ? state : value]);
  return JSON.stringify(after.fields.map(({ name, value }) => [name, value])) === JSON.stringify(expected);
}
