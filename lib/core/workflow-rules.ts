import * as z from 'zod';
import { settleStates } from './configured-states.ts';
import type { Problem } from './contract.ts';
import { checkContract } from './contract-rules.ts';
import { stateKey } from './issue.ts';
import { projectForms, workflowSchema } from './workflow-schema.ts';

/** What must hold between the fields of a front matter, the state contract apart; for docs/workflow.md. */
export const fieldRules = [
  { rule: 'project-form', says: 'tracker.project has the form that tracker.kind asks for.' },
  { rule: 'repository-needed', says: 'A board that is no repository of its own comes with `repository`.' },
  { rule: 'command-needed', says: 'agent.kind command comes with agent.command.' },
  { rule: 'cap-of-active', says: 'Each key of max_concurrent_agents_by_state is an active state.' },
  { rule: 'cap-once', says: 'No state is capped twice, ignoring case and surrounding space.' },
] as const;

/**
 * Checks the rules between fields, the state contract among them. Each rule reads only the fields that it is about, so
 * that a fault elsewhere does not hide it; a rule whose own fields are at fault is silent, because the schema speaks.
 */
export function checkRules(values: unknown): readonly Problem[] {
  return [
    ...check(stateFields, values, ({ tracker }) => checkContract({ tracker: settleStates(tracker) })),
    ...check(projectFields, values, ({ tracker }) => checkProject(tracker)),
    ...check(repositoryFields, values, checkRepository),
    ...check(commandFields, values, ({ agent }) => checkCommand(agent)),
    ...check(capFields, values, ({ tracker, agent }) =>
      checkCaps(tracker.active_states, Object.keys(agent.max_concurrent_agents_by_state)),
    ),
  ];
}

function check<Fields extends z.ZodType>(
  fields: Fields,
  values: unknown,
  rule: (found: z.output<Fields>) => readonly Problem[],
): readonly Problem[] {
  const found = fields.safeParse(values);
  return found.success ? rule(found.data) : [];
}

const { kind, project, active_states, in_progress_state, handoff_state, terminal_states, merged_state } =
  workflowSchema.shape.tracker.shape;
const agentShape = workflowSchema.shape.agent.unwrap().shape;

const stateFields = z.object({
  tracker: z.object({ active_states, in_progress_state, handoff_state, terminal_states, merged_state }),
});
const projectFields = z.object({ tracker: z.object({ kind, project }) });
const repositoryFields = z.object({
  tracker: z.object({ kind }),
  repository: workflowSchema.shape.repository,
});
const commandFields = z.object({ agent: z.object({ kind: agentShape.kind, command: agentShape.command }) });
const capFields = z.object({
  tracker: z.object({ active_states }),
  agent: z.object({
    max_concurrent_agents_by_state: z.record(z.string(), z.unknown()),
  }),
});

function checkProject(tracker: z.output<typeof projectFields>['tracker']): readonly Problem[] {
  const { form, words } = projectForms[tracker.kind];
  if (form.test(tracker.project)) return [];
  const message = `tracker.project must be ${words} for a board of kind ${tracker.kind}; it is "${tracker.project}"`;
  return [{ rule: 'project-form', path: 'tracker.project', message }];
}

function checkRepository({ tracker, repository }: z.output<typeof repositoryFields>): readonly Problem[] {
  if (repository !== undefined || projectForms[tracker.kind].isRepository) return [];
  const message = `repository is missing: a board of kind ${tracker.kind} is no repository, so an agent would have nowhere to work; give owner/repo, a URL, or a path relative to this file`;
  return [{ rule: 'repository-needed', path: 'repository', message }];
}

function checkCommand(agent: z.output<typeof commandFields>['agent']): readonly Problem[] {
  if (agent.kind !== 'command' || agent.command !== undefined) return [];
  const message =
    'agent.command is missing: agent.kind command would have nothing to run; give a shell line that reads the prompt on its standard input';
  return [{ rule: 'command-needed', path: 'agent.command', message }];
}

function checkCaps(active: readonly string[], capped: readonly string[]): readonly Problem[] {
  const keys = capped.map(stateKey);
  return capped.flatMap((name, at) => {
    const path = `agent.max_concurrent_agents_by_state.${name}`;
    if (!active.some((state) => stateKey(state) === keys[at])) {
      const message = `${path} caps a state that is not among tracker.active_states (${active.join(', ')}): it would never hold anything back; name one of these`;
      return [{ rule: 'cap-of-active', path, message }];
    }
    if (keys.indexOf(keys[at]!) < at) {
      const message = `${path} caps a state a second time: names are compared without case; take one of them out`;
      return [{ rule: 'cap-once', path, message }];
    }
    return [];
  });
}
