import { Context, Liquid, LiquidError, type Template, toValueSync } from 'liquidjs';

/** The longest template in characters, and the longest prompt in bytes of UTF-8: 256 KB. */
export const longestText = 256 * 1024;

/** Parses a Liquid template. Throws what `describeParseFault` puts into words. */
export function parseTemplate(template: string): Template[] {
  return engine.parse(template);
}

/** Renders a parsed template. Throws what `describeRenderFault` puts into words. */
export function renderTemplate(template: Template[], variables: object): string {
  const output = boundOutput();
  toValueSync(engine.renderer.renderTemplates(template, new Context(variables, engine.options), output));
  refuseLong(new TextEncoder().encode(output.buffer).length);
  return output.buffer;
}

/** Says what is wrong with a template, with the line of the file when the template begins on `firstLine`. */
export function describeParseFault(fault: unknown, firstLine: number): string {
  const [said] = (fault as Error).message.split(', line:');
  return LiquidError.is(fault) ? `${said} (line ${lineOf(fault) + firstLine - 1})` : String(said);
}

/**
 * Says what went wrong while rendering, in words of the template alone: the library's own message may carry a value, and
 * thereby text of an issue, unless it is about a limit. `known` are the variables there are.
 */
export function describeRenderFault(fault: unknown, known: readonly string[]): string {
  const cause = (fault as { readonly originalError?: unknown }).originalError;
  if (fault instanceof TooLong || cause instanceof TooLong) {
    return `the prompt is longer than ${longestText} bytes; shorten the template or the issue`;
  }
  if (!LiquidError.is(fault)) return 'the template engine failed';
  const text = fault.token.getText().slice(0, 80);
  const place = `line ${lineOf(fault)} of the template${text === '' ? '' : `: ${text}`}`;
  if (fault.name === 'UndefinedVariableError')
    return `unknown variable in ${place} (known: ${known.join(', ')})`;
  const limit = /^[a-z ]+ limit exceeded/.exec(fault.message)?.[0];
  return `${limit ?? 'a fault'} in ${place}`;
}

const engine = makeEngine();

/**
 * An engine without files, clock and chance: a template is one text, and the same input gives the same output. Filters
 * that take an expression as text are left out, because they would run an issue's text as code.
 */
function makeEngine(): Liquid {
  const liquid = new Liquid({
    strictVariables: true,
    strictFilters: true,
    ownPropertyOnly: true,
    // An empty set of named templates takes the place of the file system.
    templates: {},
    memoryLimit: 4_000_000,
    renderLimit: 5_000,
  });
  for (const tag of ['include', 'render', 'layout', 'block']) delete liquid.tags[tag];
  for (const filter of Object.keys(liquid.filters)) {
    if (filter.startsWith('date') || filter === 'sample' || filter.endsWith('_exp')) {
      delete liquid.filters[filter];
    }
  }
  return liquid;
}

class TooLong extends Error {}

function refuseLong(length: number): void {
  if (length > longestText) throw new TooLong();
}

/** Output that ends the rendering as soon as it is too long. */
function boundOutput() {
  return {
    buffer: '',
    write(value: unknown) {
      this.buffer += toText(value);
      refuseLong(this.buffer.length);
    },
  };
}

function toText(value: unknown): string {
  return Array.isArray(value) ? value.map(toText).join('') : String(value ?? '');
}

function lineOf(fault: LiquidError): number {
  return fault.token.getPosition()[0] ?? 1;
}
