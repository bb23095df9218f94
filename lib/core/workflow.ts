import { createHash } from 'node:crypto';
import type * as z from 'zod';
import { settleStates } from './configured-states.ts';
import type { Problem } from './contract.ts';
import { readFrontMatter } from './front-matter.ts';
import type { frozenWorkflowSchema } from './frozen-workflow.ts';
import { stateKey } from './issue.ts';
import { checkTemplate } from './prompt.ts';
import { describeSchemaProblems } from './schema-problems.ts';
import { checkRules } from './workflow-rules.ts';
import { type WorkflowFile, workflowSchema } from './workflow-schema.ts';

/** A board's policy: the file's front matter with its defaults, its prompt template, and the hash that names both in the history. */
export type Workflow = Readonly<z.output<typeof frozenWorkflowSchema>>;

/**
 * Reads a WORKFLOW.md. Answers with a workflow whose own rules all hold, or with every problem at once. `source` is how
 * the file is called in messages. States are kept as written; the keys of `max_concurrent_agents_by_state` become state
 * keys. Whether the states exist on the board is for `resolveContract`.
 */
export function parseWorkflow(
  text: string,
  source: string,
): { readonly workflow: Workflow } | { readonly problems: readonly Problem[] } {
  const file = readFrontMatter(text, source);
  if ('problems' in file) return file;
  const parsed = workflowSchema.safeParse(file.values);
  const problems = [
    ...describeSchemaProblems(workflowSchema, parsed.error?.issues ?? [], file.values),
    ...checkRules(file.values),
    ...checkTemplate(file.body, source, file.bodyLine),
  ];
  if (!parsed.success || problems.length > 0) return { problems };
  return { workflow: fillWorkflow(parsed.data, file.body, hashPolicy(text)) };
}

function fillWorkflow(file: WorkflowFile, prompt: string, policyHash: string): Workflow {
  const caps = Object.entries(file.agent.max_concurrent_agents_by_state);
  return {
    ...file,
    tracker: settleStates(file.tracker),
    repository: file.repository ?? file.tracker.project,
    agent: {
      ...file.agent,
      max_concurrent_agents_by_state: Object.fromEntries(caps.map(([name, cap]) => [stateKey(name), cap])),
    },
    prompt,
    policyHash,
  };
}

function hashPolicy(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
