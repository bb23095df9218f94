/** The example: what a folder of issues, a repository and a workflow file look like. Comments in them teach. */
export type Files = Readonly<Record<string, string>>;

export const exampleWorkflow = `---
# One board, one policy. A change is taken up at the next tick, while evenkeel runs.
tracker:
  kind: local
  project: board                      # the folder of issues, beside this file
  active_states: [Todo, In Progress]  # here an issue has an agent at work on it
  in_progress_state: In Progress      # written when a turn starts
  handoff_state: In Review            # written when a turn has ended: a person is next
  terminal_states: [Done, Cancelled]  # never written; only you put a card here
repository: ./repository.git
agent:
  kind: command
  max_concurrent_agents: 2
  # Any program will do. It runs in a checkout of the repository, with the prompt on its standard input; what it leaves
  # there, committed or not, is the work. A real one: claude -p --permission-mode acceptEdits
  command: |
    prompt=$(cat)
    file=$(printf '%s\\n' "$prompt" | sed -n 's/^File: //p' | head -n 1)
    text=$(printf '%s\\n' "$prompt" | sed -n 's/^Text: //p' | head -n 1)
    case "$file" in greetings/*.txt) ;; *) echo "I do not understand the issue." >&2; exit 1 ;; esac
    echo "I write $file."
    sleep 1
    printf '%s\\n' "$text" > "$file"
# Gates: they run on the finished work, in a clean checkout, and have to pass before it counts.
verify:
  - sh test.sh
---
You are working on {{ issue.key }}: {{ issue.title }}

{{ issue.description }}
{% if feedback %}
The last try did not pass: {{ feedback }}
{% endif %}
`;

export const exampleBoard: Files = {
  'board.yaml': `# The columns of this board, in their order. To move a card, edit \`state:\` in its file.
states: [Backlog, Todo, In Progress, In Review, Done, Cancelled]
`,
  'DEMO-1.md': issue({
    title: 'Greet in French',
    state: 'Todo',
    more: 'priority: 1\n',
    createdAt: '2026-01-05T09:00:00Z',
    file: 'greetings/fr.txt',
    text: 'Bonjour',
  }),
  'DEMO-2.md': issue({
    title: 'Greet in Spanish',
    state: 'Todo',
    more: '',
    createdAt: '2026-01-06T09:00:00Z',
    file: 'greetings/es.txt',
    text: 'Hola',
  }),
  'DEMO-3.md': issue({
    title: 'Say goodbye in French',
    state: 'Todo',
    more: '# It starts once DEMO-1 is in a terminal state, such as Done.\nblocked_by: [DEMO-1]\n',
    createdAt: '2026-01-07T09:00:00Z',
    file: 'greetings/fr-goodbye.txt',
    text: 'Au revoir',
  }),
  'DEMO-4.md': issue({
    title: 'Greet in Japanese',
    state: 'Backlog',
    more: '# No agent works in the backlog: write `state: Todo` and one will.\n',
    createdAt: '2026-01-08T09:00:00Z',
    file: 'greetings/ja.txt',
    text: 'こんにちは',
  }),
};

export const exampleRepository: Files = {
  'README.md': `# Greetings

One file for each greeting, one line in each file. \`sh test.sh\` checks it.
`,
  'greetings/en.txt': 'Hello\n',
  'test.sh': `# Every greeting is one line that is not empty.
for file in greetings/*.txt; do
  if [ "$(grep -c . "$file")" != 1 ]; then
    echo "$file must hold one line"
    exit 1
  fi
done
echo "all greetings are well formed"
`,
};

function issue(card: {
  readonly title: string;
  readonly state: string;
  readonly more: string;
  readonly createdAt: string;
  readonly file: string;
  readonly text: string;
}): string {
  return `---
title: ${card.title}
state: ${card.state}
${card.more}created_at: ${card.createdAt}
---
File: ${card.file}
Text: ${card.text}
`;
}
