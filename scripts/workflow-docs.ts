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
  return `${[...parts, tabulate(variableHead, promptVariables.map(toVariableRow)), rules, ...ruleTables()].join('\n\n')}\n`;
}

type Schema = z.core.JSONSchema.BaseSchema;

const introduction = `# WORKFLOW.md

<!-- Written by \`npm run docs\` from the schema; edit lib/core/workflow-schema.ts instead. -->

A board's policy is one file: YAML front matter between two lines of \`---\`, and below it the prompt that an agent is given.
A running host takes a changed file up at its next tick. A file with a problem starts nothing; turns that run go on by the
last good one. \`evenkeel validate\` tells every problem at once. The least that is needed:

\`\`\`markdown
---
tracker:
  kind: local
  project: board
repository: ../web
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
