import { Liquid, LiquidError } from 'liquidjs';
import type { Problem } from './contract.ts';
import type { Issue } from './issue.ts';
import type { Workflow } from './workflow.ts';

/** What a template may name, for docs/workflow.md. */
export const promptVariables = [
  { name: 'issue.key', says: 'What people call the issue: `web#42`, `ENG-7`.' },
  { name: 'issue.title', says: 'Its title.' },
  { name: 'issue.description', says: 'Its text; empty when there is none.' },
  { name: 'issue.labels', says: 'A list of its labels, lower-cased.' },
  { name: 'issue.priority', says: '1 (most urgent) to 4, or null.' },
  { name: 'issue.state', says: 'The state in which the turn was claimed, or null.' },
  { name: 'issue.url', says: 'Its address, or null.' },
  { name: 'attempt', says: 'null on the first turn, else the number of the turn: 2, 3, …' },
  { name: 'feedback', says: "The last turn's word to this one, such as the tail of a failed gate, or null." },
] as const;

/** The longest prompt, in bytes of UTF-8. */
export const longestPromptBytes = 256 * 1024;

/**
 * Renders the prompt of a turn. An unknown variable, a template that renders to nothing and a prompt that is too long are
 * problems; a message names the place in the template and never the issue's text. The same input gives the same prompt.
 */
export function renderPrompt(
  workflow: Pick<Workflow, 'prompt'>,
  issue: Issue,
  attempt: number,
  feedback: string | undefined,
): { readonly prompt: string } | { readonly problem: string } {
  const variables = {
    issue: {
      key: issue.key,
      title: cleanText(issue.title),
      description: cleanText(issue.description),
      labels: issue.labels,
      priority: issue.priority ?? null,
      state: issue.state ?? null,
      url: issue.url ?? null,
    },
    attempt: attempt > 1 ? attempt : null,
    feedback: feedback ?? null,
  };
  try {
    return checkPrompt(String(engine.parseAndRenderSync(workflow.prompt, variables)));
  } catch (error) {
    if (!LiquidError.is(error)) throw error;
    return { problem: `the prompt template cannot be rendered: ${describeFault(error, 1)}` };
  }
}

/** The faults of a template that need no issue to be seen: its syntax, and filters or tags that do not exist. */
export function checkTemplate(template: string, source: string, firstLine: number): readonly Problem[] {
  if (template.trim() === '') {
    const message = `${source} has no prompt: an agent would be told nothing; write it below the front matter`;
    return [{ rule: 'prompt', path: '', message }];
  }
  try {
    engine.parse(template);
    return [];
  } catch (error) {
    if (!LiquidError.is(error)) throw error;
    const message = `${source}: the prompt template is not valid: ${describeFault(error, firstLine)}`;
    return [{ rule: 'prompt', path: '', message }];
  }
}

/** Text of an issue without what a person who reads it does not see: HTML comments and invisible characters. */
export function cleanText(text: string): string {
  return text
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/gu, '')
    .replace(/<!--[\s\S]*?(?:-->|$)/g, ' ');
}

const engine = makeEngine();

function makeEngine(): Liquid {
  const liquid = new Liquid({
    strictVariables: true,
    strictFilters: true,
    ownPropertyOnly: true,
    // An empty set of templates in place of the file system.
    templates: {},
    parseLimit: 1_000_000,
    memoryLimit: 10_000_000,
    renderLimit: 5_000,
  });
  for (const tag of ['include', 'render', 'layout', 'block']) delete liquid.tags[tag];
  for (const filter of Object.keys(liquid.filters)) {
    if (filter.startsWith('date') || filter === 'sample') delete liquid.filters[filter];
  }
  return liquid;
}

function describeFault(error: LiquidError, firstLine: number): string {
  const [line] = error.token.getPosition();
  const said = error.message.replace(/, line:\d+, col:\d+[\s\S]*$/, '');
  return `${said} (line ${(line ?? 1) + firstLine - 1})`;
}

function checkPrompt(prompt: string): { readonly prompt: string } | { readonly problem: string } {
  const bytes = new TextEncoder().encode(prompt).length;
  if (bytes > longestPromptBytes) {
    const problem = `the prompt is ${bytes} bytes long, more than ${longestPromptBytes}: shorten the template or the issue`;
    return { problem };
  }
  return prompt.trim() === ''
    ? { problem: 'the prompt template renders to nothing for this issue' }
    : { prompt };
}
