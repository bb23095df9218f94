import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { liveRules } from '../lib/core/contract.ts';
import { contractRules } from '../lib/core/contract-rules.ts';
import { promptVariables } from '../lib/core/prompt.ts';
import { describeWanted } from '../lib/core/schema-problems.ts';
import { fieldRules } from '../lib/core/workflow-rules.ts';
import { workflowSchema } from '../lib/core/workflow-schema.ts';

/** docs/workflow.md, written from the schema's own descriptions and the rules' own words. */
export function writeWorkflowDocs(): string {
  const schema = z.toJSONSchema(workflowSchema, { io: 'input' });
  const parts = [introduction, ...describeSection('', schema, 'Keys at the top level'), template];
  return `${[...parts, tabulate(variableHead, promptVariables.map(toVariableRow)), commandAgent, rules, ...ruleTables()].join('\n\n')}\n`;
}

type Schema = z.core.JSONSchema.BaseSchema;

const introduction = `# WORKFLOW.md

<!-- Written by \`npm run docs\` from the schema; edit lib/core/workflow-schema.ts instead. -->

A board's policy is one file: YAML front matter between two lines of \`---\`, and below it the prompt that an agent is given.
\`evenkeel init\` writes one from a few questions, or from a file of Symphony or Sortie (\`--from FILE\`).
A running host takes a changed file up at its next tick. A file that breaks a rule starts nothing; turns that run go on by the
last good one. \`evenkeel validate\` tells every problem at once, also those that a host meets in a turn only and parks the issue
for: a base that is not there, a variable that the prompt does not have. This version runs \`agent.kind: command\` and boards of the
kinds \`local\`, \`github\` and \`github-project\`; the others are refused. The least that is needed, valid for a local board (the folder
\`board\` beside this file, with a \`board.yaml\` that names the states) and any program that reads a prompt:

\`\`\`markdown
---
tracker:
  kind: local
  project: board
repository: ../web
agent: { kind: command, command: claude -p --permission-mode acceptEdits }
---
You are working on {{ issue.key }}: {{ issue.title }}

{{ issue.description }}
\`\`\`

Unknown keys are errors. Names of states are compared without case and surrounding space, and shown as written.`;

const template = `## The prompt

The text below the front matter is a [Liquid](https://liquidjs.com) template. A tag or filter that does not exist is a
problem of the file; a variable that does not exist ends the turn as a policy failure. A template reads no files, no clock and
no chance, and a prompt has at most 256 KB. Text of an issue is data: it is never read as a template, and HTML comments and
invisible characters are taken out of its title and description.`;

const commandAgent = `## What an agent of kind command finds

\`agent.command\` is run by \`sh -c\`:

- Its working directory is a checkout of \`repository\`, on what the issue's branch holds so far, else on \`base\`. It need not
  push, and cannot: its commits are delivered when it has ended.
- Submodules are not fetched, and nothing is delivered to their repositories: work in the folder of a submodule, and a commit that
  names another commit for one, is told of in the status comment, since it is in the turn's workspace only.
- The prompt is its standard input, and also the file that \`EVENKEEL_PROMPT_FILE\` names.
- Exit code 0 means that it has finished; any other is a failed try, of which the work is kept on \`evenkeel/wip/…\`. Changes that it
  left uncommitted, and that git does not ignore, are committed for it in both cases. Everything it left running is ended.
- A stop sends SIGTERM to all of its processes at one moment, and ends by force what is left a few seconds later.
- Its environment is a list of what is allowed: \`PATH\`, \`HOME\`, \`LANG\`, \`LC_ALL\`, a \`TMPDIR\` of the turn's own, \`TERM\`,
  \`CI\`, \`NO_COLOR\`, \`GIT_TERMINAL_PROMPT\`, names that begin with \`EVENKEEL_\`, and what \`evenkeel start --pass-env NAME\`
  adds, such as the key of a model.

It may report by a JSON file of up to 64 KB at the path that \`EVENKEEL_RESULT_FILE\` names; \`status\` is \`done\`, \`question\` or
\`blocked\`. With exit code 0 a question goes to a person, and the work so far is delivered. The answer belongs into the text of the
issue, which the next turn reads; comments are no part of a prompt:

\`\`\`sh
echo '{ "status": "question", "question": "Which of the two colours?" }' > "$EVENKEEL_RESULT_FILE"
\`\`\`

What it spent counts for \`agent.budget\` with every status and every exit code; without it the cost is unknown. \`usd\` and \`tokens\` are for this turn, and
one of them is enough:

\`\`\`sh
echo '{ "status": "done", "usage": { "usd": 0.42, "tokens": 1234 } }' > "$EVENKEEL_RESULT_FILE"
\`\`\`

That the work is done is judged by the work, whatever the report says. A report that cannot be understood is named in the
turn's \`runner.log\`.`;

const rules = `## Rules

Those between states and between fields are checked whenever the file is read, those against the board at
\`evenkeel validate\` and at every tick. A broken rule is told with its name, the field, and what would follow.`;

const keyHead = ['key', 'what it may be', 'default', 'meaning'];
const variableHead = ['variable', 'meaning'];
const ruleHead = ['rule', 'what must hold'];

function describeSection(path: string, schema: Schema, title: string): string[] {
  const fields = Object.entries(schema.properties ?? {}) as [string, Schema][];
  const keys = fields.filter(([, field]) => field.properties === undefined);
  const sections = fields.filter(([, field]) => field.properties !== undefined);
  const rows = keys.map(([name, field]) => toKeyRow(name, field, schema.required?.includes(name) === true));
  return [
    `## ${title}`,
    ...(schema.description === undefined ? [] : [schema.description]),
    tabulate(keyHead, rows),
    ...sections.flatMap(([name, field]) => {
      const below = path === '' ? name : `${path}.${name}`;
      return describeSection(below, field, `\`${below}\``);
    }),
  ];
}

function toKeyRow(name: string, field: Schema, required: boolean): readonly string[] {
  const fallback = field.default === undefined ? 'none' : `\`${JSON.stringify(field.default)}\``;
  return [`\`${name}\``, describeWanted(field), required ? 'required' : fallback, field.description ?? ''];
}

function toVariableRow({ name, says }: { readonly name: string; readonly says: string }): readonly string[] {
  return [`\`${name}\``, says];
}

function ruleTables(): string[] {
  const groups = [
    ['Between states', contractRules],
    ['Between other fields', fieldRules],
    ["Against the board's own states", liveRules],
  ] as const;
  return groups.flatMap(([title, group]) => [
    `### ${title}`,
    tabulate(
      ruleHead,
      group.map(({ rule, says }) => [`\`${rule}\``, says]),
    ),
  ]);
}

function tabulate(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return lines.join('\n');
}

const file = fileURLToPath(new URL('../docs/workflow.md', import.meta.url));
if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(file, writeWorkflowDocs());
