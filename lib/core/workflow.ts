import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Problem } from './contract.ts';
import { checkContract } from './contract-rules.ts';
import { readFrontMatter } from './front-matter.ts';
import { stateKey } from './issue.ts';
import { checkTemplate } from './prompt.ts';
import { describeSchemaProblems } from './schema-problems.ts';
import { type WorkflowFile, workflowSchema } from './workflow-schema.ts';

type TrackerFile = WorkflowFile['tracker'];

/**
 * A workflow as it is kept beside a turn: defaults are filled in already, so that an absent state means that there is
 * none, and stays so when it is read again.
 */
export const frozenWorkflowSchema = workflowSchema.extend({
  tracker: workflowSchema.shape.tracker.extend({
    /** Undefined: no state is written when a turn starts. */
    in_progress_state: z.string().optional(),
    /** Undefined: no state is written when a turn has ended. */
    handoff_state: z.string().optional(),
  }),
  /** As written in the file: `owner/repo`, a URL, or a path relative to the file. */
  repository: z.string(),
  prompt: z.string(),
  /** The first 16 hex digits of the file's SHA-256. */
  policyHash: z.string(),
});

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
  const templateProblems = checkTemplate(file.body, source, file.bodyLine);
  const parsed = workflowSchema.safeParse(file.values);
  if (!parsed.success) {
    const tracker = workflowSchema.shape.tracker.safeParse(file.values.tracker);
    const problems = describeSchemaProblems(workflowSchema, parsed.error.issues, file.values);
    const contractProblems = tracker.success ? checkContract({ tracker: fillTracker(tracker.data) }) : [];
    return { problems: [...problems, ...contractProblems, ...templateProblems] };
  }
  const workflow = fillWorkflow(parsed.data, file.body, hashPolicy(text));
  const problems = [...checkContract(workflow), ...checkFields(parsed.data), ...templateProblems];
  return problems.length > 0 ? { problems } : { workflow };
}

function hashPolicy(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function fillWorkflow(file: WorkflowFile, prompt: string, policyHash: string): Workflow {
  const byState = Object.entries(file.agent.max_concurrent_agents_by_state);
  return {
    ...file,
    tracker: fillTracker(file.tracker),
    repository: file.repository ?? file.tracker.project,
    agent: {
      ...file.agent,
      max_concurrent_agents_by_state: Object.fromEntries(byState.map(([name, cap]) => [stateKey(name), cap])),
    },
    prompt,
    policyHash,
  };
}

/** The default in-progress state counts only where it is active; `null` in the file means that there is none. */
function fillTracker(tracker: TrackerFile): Workflow['tracker'] {
  const { in_progress_state, handoff_state } = tracker;
  const usual = tracker.active_states.find((name) => stateKey(name) === 'in progress');
  return {
    ...tracker,
    in_progress_state: in_progress_state === undefined ? usual : (in_progress_state ?? undefined),
    handoff_state: handoff_state ?? undefined,
  };
}

/** The rules between fields that are no part of the state contract. */
function checkFields(file: WorkflowFile): readonly Problem[] {
  return [...checkCommand(file), ...checkRepository(file), ...checkCaps(file)];
}

function checkCommand({ agent }: WorkflowFile): readonly Problem[] {
  if (agent.kind !== 'command' || agent.command !== undefined) return [];
  return [
    {
      rule: 'command-needed',
      path: 'agent.command',
      message:
        'agent.command is missing: agent.kind command runs nothing without it; give a shell line that reads the prompt on its standard input',
    },
  ];
}

function checkRepository({ tracker, repository }: WorkflowFile): readonly Problem[] {
  if (repository !== undefined || tracker.kind === 'github') return [];
  return [
    {
      rule: 'repository-needed',
      path: 'repository',
      message: `repository is missing: a board of kind ${tracker.kind} is no repository, so the agent would have nowhere to work; give owner/repo, a URL, or a path relative to this file`,
    },
  ];
}

function checkCaps({ tracker, agent }: WorkflowFile): readonly Problem[] {
  const active = tracker.active_states.map(stateKey);
  const keys = Object.keys(agent.max_concurrent_agents_by_state);
  return keys.flatMap((name, at) => {
    const path = `agent.max_concurrent_agents_by_state.${name}`;
    if (!active.includes(stateKey(name))) {
      const states = tracker.active_states.join(', ');
      const message = `${path} caps a state that is not among tracker.active_states: the cap would never hold anything; name one of ${states}`;
      return [{ rule: 'cap-of-active', path, message }];
    }
    if (keys.slice(0, at).some((other) => stateKey(other) === stateKey(name))) {
      const message = `${path} caps a state a second time: names are compared without case; take one of them out`;
      return [{ rule: 'cap-once', path, message }];
    }
    return [];
  });
}
