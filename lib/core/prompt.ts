import type { Problem } from './contract.ts';
import type { Issue } from './issue.ts';
import {
  describeParseFault,
  describeRenderFault,
  longestText,
  parseTemplate,
  renderTemplate,
} from './template.ts';
import type { Workflow } from './workflow.ts';

/** What a template may name, for docs/workflow.md. */
export const promptVariables = [
  { name: 'issue.key', says: 'What people call the issue: `web#42`, `ENG-7`.' },
  { name: 'issue.title', says: 'Its title.' },
  { name: 'issue.description', says: 'Its text; empty when there is none.' },
  { name: 'issue.labels', says: 'A list of its labels, lower-cased.' },
  { name: 'issue.assignees', says: 'A list of whom it is assigned to, by name.' },
  { name: 'issue.priority', says: '1 (most urgent) to 4, or null.' },
  { name: 'issue.state', says: 'The state in which the turn was claimed, or null.' },
  { name: 'issue.url', says: 'Its address, or null.' },
  { name: 'attempt', says: 'null on the first turn, else the number of the turn: 2, 3 and so on.' },
  { name: 'feedback', says: "The last turn's word to this one, such as the tail of a failed gate, or null." },
] as const;

/**
 * Renders the prompt of a turn. An unknown variable, a template that renders to nothing and a prompt that is too long are
 * problems; a problem names the place in the template and never the issue's text. The same input gives the same prompt.
 */
export function renderPrompt(
  workflow: Pick<Workflow, 'prompt'>,
  issue: Issue,
  attempt: number,
  feedback: string | undefined,
): { readonly prompt: string } | { readonly problem: string } {
  try {
    const prompt = renderTemplate(parseTemplate(workflow.prompt), listVariables(issue, attempt, feedback));
    return prompt.trim() === ''
      ? { problem: 'the prompt template renders to nothing for this issue' }
      : { prompt };
  } catch (error) {
    return {
      problem: `the prompt template cannot be rendered: ${describeRenderFault(
        error,
        promptVariables.map(({ name }) => name),
      )}`,
    };
  }
}

/**
 * The faults of a template that need no issue to be seen: its syntax, and tags or filters that do not exist. `firstLine`
 * is the line of the file on which the template begins.
 */
export function checkTemplate(template: string, source: string, firstLine: number): readonly Problem[] {
  const report = (message: string) => [{ rule: 'prompt', path: '', message }];
  if (template.trim() === '') {
    return report(`${source} has no prompt: an agent would be told nothing; write it below the front matter`);
  }
  if (template.length > longestText) {
    return report(`the prompt template of ${source} has more than ${longestText} characters: shorten it`);
  }
  try {
    parseTemplate(template);
    return [];
  } catch (error) {
    return report(`the prompt template of ${source} is not valid: ${describeParseFault(error, firstLine)}`);
  }
}

/**
 * Text of an issue without what a person who reads it does not see: invisible and control characters, and HTML comments.
 * A space stays where a comment was, so that its surroundings cannot join into another one.
 */
export function cleanText(text: string): string {
  return text
    .replace(/\p{Default_Ignorable_Code_Point}|(?![\t\n\r])\p{Cc}/gu, '')
    .replace(/<!--.*?(?:-->|$)/gs, ' ');
}

/** What the issue does not have is null, because an undefined variable is a fault of the template. */
function listVariables(issue: Issue, attempt: number, feedback: string | undefined) {
  return {
    issue: {
      key: issue.key,
      title: cleanText(issue.title),
      description: cleanText(issue.description),
      labels: issue.labels,
      assignees: issue.assignees,
      priority: issue.priority ?? null,
      state: issue.state ?? null,
      url: issue.url ?? null,
    },
    attempt: attempt > 1 ? attempt : null,
    feedback: feedback ?? null,
  };
}
