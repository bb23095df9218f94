import { Document, isCollection, isScalar } from 'yaml';

/** What a workflow file is made of. Paths are relative to the file. */
export interface WorkflowAnswers {
  readonly kind: 'local' | 'github' | 'github-project';
  readonly project: string;
  readonly endpoint: string | undefined;
  /** Undefined where the project is the repository. */
  readonly repository: string | undefined;
  readonly base: string;
  readonly active: readonly string[];
  readonly inProgress: string | undefined;
  readonly handoff: string | undefined;
  readonly terminal: readonly string[];
  readonly command: string;
}

/** The text of a new workflow file, with comments that teach. */
export function writeWorkflow(answers: WorkflowAnswers): string {
  const { endpoint, repository } = answers;
  const front = new Document({
    tracker: {
      kind: answers.kind,
      project: answers.project,
      ...(endpoint === undefined ? {} : { endpoint }),
      active_states: answers.active,
      in_progress_state: answers.inProgress ?? null,
      handoff_state: answers.handoff ?? null,
      terminal_states: answers.terminal,
    },
    ...(repository === undefined ? {} : { repository }),
    base: answers.base,
    agent: { kind: 'command', command: answers.command },
  });
  for (const [path, comment] of Object.entries(comments)) {
    const node = front.getIn(path.split('.'), true);
    if (isCollection(node)) node.flow = true;
    if (isCollection(node) || isScalar(node)) node.comment = ` ${comment}`;
  }
  front.comment = afterwards;
  return `---\n${front.toString({ lineWidth: 0, flowCollectionPadding: false })}---\n${prompt}`;
}

const comments = {
  'tracker.active_states': 'here an issue has an agent at work on it',
  'tracker.in_progress_state': 'written when a turn starts; null writes nothing',
  'tracker.handoff_state': 'written when a turn has ended: a person is next; null writes nothing',
  'tracker.terminal_states': 'only you put an issue there',
  base: 'the branch that work starts from',
  'agent.command': 'a shell line, run in a checkout with the prompt on its standard input',
};

const afterwards = ` Gates: they run on the finished work in a clean checkout, and have to pass before it counts. For instance:
 verify: [npm ci, npm test]
 Every other key, and what an agent finds: docs/workflow.md`;

const prompt = `You are working on {{ issue.key }}: {{ issue.title }}

{{ issue.description }}

Work in the current folder, a checkout of the repository. Keep the change small, add a test that fails without it, and commit
when you are done. Do not push; your commits are delivered when you exit.
{% if attempt %}
This is turn {{ attempt }} on this issue. What earlier turns committed is on the branch that is checked out.
{% endif %}
{% if feedback %}
The last turn ended with this:

{{ feedback }}
{% endif %}
`;
