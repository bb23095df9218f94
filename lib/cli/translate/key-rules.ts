import * as z from 'zod';
import { workflowSchema } from '../../core/workflow-schema.ts';

/** Keys that mean the same here, under the name that they have here. */
export const sameKeys: Readonly<Record<string, string>> = {
  'tracker.repo': 'tracker.project',
  'agent.max_tokens': 'agent.budget.tokens_per_issue',
  'codex.turn_timeout_ms': 'agent.turn_timeout_ms',
  'codex.stall_timeout_ms': 'agent.stall_timeout_ms',
  'self_review.verification_commands': 'verify',
};

/** Keys that mean about the same, and what is different. */
export const likeKeys: Readonly<Record<string, string>> = {
  'agent.max_turns':
    'it stays, and counts every turn of an issue until a person moves it; there it counted those of one session',
  'self_review.verification_commands':
    'they became `verify`: gates that run on the finished work in a clean checkout; after a failure the agent gets another turn',
};

/** Keys and sections without a counterpart: why, and what to do. The longest that fits counts. */
const droppedKeys: Readonly<Record<string, string>> = {
  'tracker.assignee':
    'evenkeel looks at states and labels, not at assignees: gate with tracker.required_labels',
  'tracker.project_slug':
    'a board at Linear is a team here, not a project: write the key of the team to tracker.project, such as ENG',
  'tracker.query_filter': 'there are no queries: gate with tracker.required_labels',
  'tracker.comments': 'there is one status comment for each issue, always',
  polling: 'how often the board is looked at is said by `evenkeel start --interval SECONDS`',
  workspace:
    'workspaces are in the data folder: `evenkeel start --data DIR`; they are removed three days after their turn',
  'hooks.before_remove': 'nothing runs when a workspace is removed, and branches are for people to delete',
  'agent.read_timeout_ms': 'no protocol is spoken with the agent; agent.stall_timeout_ms is the nearest',
  'agent.stop_grace_ms': 'an agent that is stopped has a few seconds, always',
  'agent.max_sessions': 'the nearest is agent.max_turns, and agent.max_failures for those that fail',
  self_review: 'the nearest is `verify`: gates that have to pass',
  ci_feedback: 'what happens to a branch after its turn starts no turn; move the card back for another one',
  reactions: 'what happens to a branch after its turn starts no turn; move the card back for another one',
  dispatch:
    'one file has one agent and one prompt; make a board of its own with tracker.required_labels for each rule',
  notifications:
    'an agent asks by its report, and the question is in the status comment; see docs/workflow.md',
  db_path: 'what is kept is in the data folder: `evenkeel start --data DIR`',
  'server.port': '`evenkeel start --port PORT` says where it listens',
  server: 'it listens on loopback only',
  observability: '`evenkeel status` and the story of `evenkeel start` show what goes on',
  logging: '`evenkeel start --log-format json` writes lines for machines',
  worker: 'turns run on this machine, or as containers in an AWS account',
};

/** Why a key has no counterpart; undefined where nothing is known of it. */
export function whyDropped(path: string): string | undefined {
  const parts = path.split('.');
  for (let length = parts.length; length > 0; length -= 1) {
    const found = parts.slice(0, length).join('.');
    if (Object.hasOwn(droppedKeys, found)) return droppedKeys[found];
  }
  return undefined;
}

/** Whether a key is one of ours, at the top or one below it. */
export function isOwnKey(path: string): boolean {
  const [section = '', key] = path.split('.');
  const found = properties(ownSchema)[section];
  if (found === undefined) return false;
  return key === undefined || Object.hasOwn(properties(found), key);
}

/** Sections of ours, whose keys are looked at one by one. */
export function isOwnSection(name: string): boolean {
  return Object.keys(properties(properties(ownSchema)[name] ?? {})).length > 0;
}

type Schema = z.core.JSONSchema.BaseSchema;
const ownSchema = z.toJSONSchema(workflowSchema, { io: 'input' });

function properties(schema: Schema): Readonly<Record<string, Schema>> {
  return (schema.properties ?? {}) as Readonly<Record<string, Schema>>;
}

/** The place of a key in a file of ours, at the top or one below it. */
export function placeOf(path: string): number {
  return keyOrder.indexOf(path.split('.').slice(0, 2).join('.'));
}

const keyOrder = Object.entries(properties(ownSchema)).flatMap(([section, schema]) => [
  section,
  ...Object.keys(properties(schema)).map((key) => `${section}.${key}`),
]);
