import * as z from 'zod';
import type { Issue, StateName } from '../../core/issue.ts';
import { type Field, readFrontMatter } from './front-matter.ts';
import { isReplaceable } from './replace-state.ts';

/** What an issue's file says, before it is known how the others stand. */
export interface IssueFile {
  readonly kind: 'issue';
  readonly title: string;
  readonly description: string;
  readonly state: StateName;
  readonly priority: Issue['priority'];
  readonly labels: readonly string[];
  readonly blockedBy: readonly string[];
  readonly assignees: readonly string[];
  readonly createdAt: number | undefined;
}

export interface BrokenFile {
  readonly kind: 'broken';
  /** What is wrong with the file and how to mend it; quotes nothing of it. */
  readonly problem: string;
  readonly conflictingStates: boolean;
}

const text = z.string().transform((value) => value.trim());
const list = z.union([z.array(text), text.transform((value) => [value])]);

const schema = z.object({
  title: text.pipe(z.string().min(1)).describe('it has no title: write a `title:` line in its front matter'),
  state: text.optional().describe('`state` must be the name of one state'),
  priority: z.enum(['1', '2', '3', '4']).optional().describe('`priority` must be 1, 2, 3 or 4'),
  labels: list.default([]).describe('`labels` must be a list, such as [bug, agent]'),
  blocked_by: list.default([]).describe('`blocked_by` must be a list of keys, such as [A-1, A-2]'),
  assignees: list.default([]).describe('`assignees` must be a list of names, such as [alice, bob]'),
  created_at: z
    .string()
    .transform((value) => Date.parse(value))
    .pipe(z.number())
    .optional()
    .describe('`created_at` must be a date, such as 2026-11-29T12:00:00Z'),
});

/** Understands the bytes of an issue's file. A field that the board does not know is left alone. */
export function parseIssueFile(bytes: Uint8Array): IssueFile | BrokenFile {
  const content = decode(bytes);
  if (content === undefined) return breakWith('it is not UTF-8 text');
  const found = readFrontMatter(content);
  if ('problem' in found) return breakWith(found.problem);
  const twice = findRepeated(found.fields);
  if (twice.includes('state'))
    return breakWith('its front matter has more than one `state:` line; leave one', true);
  if (twice.length > 0) return breakWith('a name stands twice in its front matter; leave one of the lines');
  const fields = schema.safeParse(Object.fromEntries(found.fields.map(({ name, value }) => [name, value])));
  if (!fields.success) return breakWith(describeFault(fields.error));
  const { title, state, priority, labels, blocked_by, assignees, created_at } = fields.data;
  // Whoever writes the file anew may not have come to that line yet: it is no move out of every column.
  if (!state)
    return breakWith('it has no state: write a `state:` line in its front matter, such as `state: Todo`');
  if (!isReplaceable(found.fields.find(({ name }) => name === 'state')?.node)) {
    return breakWith(
      'its state could be read and not moved; write it as one plain line, such as `state: Todo`',
    );
  }
  return {
    kind: 'issue',
    title,
    description: found.body.trim(),
    state: state as StateName,
    priority: priority === undefined ? undefined : (Number(priority) as Issue['priority']),
    labels: [...new Set(labels.map((label) => label.toLocaleLowerCase('en-US')))].filter(
      (label) => label !== '',
    ),
    blockedBy: [...new Set(blocked_by)].filter((key) => key !== ''),
    assignees: [...new Set(assignees)].filter((name) => name !== ''),
    createdAt: created_at,
  };
}

/** Keeps the byte order mark, so that the text can be turned back into the very same bytes. */
export function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function findRepeated(fields: readonly Field[]): readonly string[] {
  const names = fields.map(({ name }) => name);
  return names.filter((name, index) => names.indexOf(name) !== index);
}

function describeFault(error: z.ZodError): string {
  const name = error.issues[0]?.path[0] as keyof typeof schema.shape;
  return schema.shape[name].description ?? `\`${name}\` cannot be understood`;
}

function breakWith(problem: string, conflictingStates = false): BrokenFile {
  return { kind: 'broken', problem, conflictingStates };
}
