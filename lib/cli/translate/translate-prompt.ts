import { Liquid } from 'liquidjs';
import { nearestName } from '../../core/nearest-name.ts';
import { promptVariables } from '../../core/prompt.ts';
import { isGoTemplate, type LeftOver, translateGoTemplate } from './go-template.ts';

/** Something of a prompt that a person has to look at, in lines of the prompt from 1. */
export interface PromptNote {
  readonly line: number;
  readonly what: string;
  readonly says: string;
}

/** A prompt of another system as one of ours. Variables that are not ours stay where they are, and are named. */
export function translatePrompt(prompt: string): {
  readonly text: string;
  readonly notes: readonly PromptNote[];
} {
  const liquid = isGoTemplate(prompt) ? translateGoTemplate(prompt) : { text: prompt, left: [] };
  const left = liquid.left.map(({ line, action }) => ({
    line,
    what: action,
    says: 'it could not be translated to Liquid and stands there as it was; write it anew',
  }));
  const { text, notes } = renameVariables(liquid.text);
  return {
    text,
    notes: [...left, ...notes, ...findUnknown(withoutLeftOver(text, liquid.left))].toSorted(
      (one, other) => one.line - other.line,
    ),
  };
}

interface Renamed {
  readonly from: string;
  readonly to: string;
  /** What a person should know; nothing where both mean the same. */
  readonly says?: string;
}

const renamed: readonly Renamed[] = [
  { from: 'issue.identifier', to: 'issue.key' },
  {
    from: 'run.is_continuation',
    to: 'attempt',
    says: 'it became `attempt`, which is null on the first turn and a number on each later one; there are no turns within a turn',
  },
  {
    from: 'run.turn_number',
    to: 'attempt',
    says: 'it became `attempt`, the number of the turn on this issue, and null on the first one',
  },
];

/** Within tags only: what the prompt says to the agent is left alone. */
function renameVariables(prompt: string): { readonly text: string; readonly notes: readonly PromptNote[] } {
  const notes: PromptNote[] = [];
  const text = prompt.replace(/\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}/g, (tag, at: number) => {
    const line = prompt.slice(0, at).split('\n').length;
    return renamed.reduce((now, { from, to, says }) => {
      const name = new RegExp(`(?<![\\w."'])${from.replace('.', '\\.')}(?![\\w"'])`, 'g');
      if (says !== undefined && name.test(now)) notes.push({ line, what: from, says });
      return now.replace(name, to);
    }, emptyIsNothing(tag));
  });
  return { text, notes };
}

/** An issue without a text has an empty one here, which is true in Liquid; elsewhere it is nil. */
function emptyIsNothing(tag: string): string {
  return tag.replace(/^(\{%-?\s*(?:if|elsif|unless)\s+issue\.description)(\s*-?%\})$/, '$1 != blank$2');
}

/** The same lines in a form that Liquid can read, so that what could not be translated hides nothing else. */
function withoutLeftOver(text: string, left: readonly LeftOver[]): string {
  return left.reduce((now, { action }) => {
    const lines = '\n'.repeat(action.split('\n').length - 1);
    const [, word] = /^\{\{-?\s*(if|with|range)\b/.exec(action) ?? [];
    const open =
      { if: '{% if true %}', with: '{% if true %}', range: '{% for item in (1..1) %}' }[word ?? ''] ?? '';
    return now.replace(action, `${open}${lines}`);
  }, text);
}

const known = promptVariables.map(({ name }) => name);
/** What any list and any text has in Liquid. */
const partsOfAny = ['size', 'first', 'last'];

/** What seems to be meant by a name that others have, or why nothing is. */
const elsewhere: Readonly<Record<string, string>> = {
  'issue.id': 'the nearest is `issue.key`',
  'issue.native_ref': 'the nearest is `issue.key`',
  'issue.number': 'the nearest is `issue.key`',
  'issue.body': 'the nearest is `issue.description`',
  'issue.status': 'the nearest is `issue.state`',
  'issue.branch_name': "there is none near it: the issue's branch is checked out when the agent begins",
  'issue.blocked_by': 'there is none near it: an issue that is blocked is not started',
  'issue.blockers': 'there is none near it: an issue that is blocked is not started',
  'issue.assignee': 'the nearest is `issue.assignees`, a list of names',
  'issue.assignee_id': 'the nearest is `issue.assignees`, a list of names',
  'issue.parent': 'there is none near it',
  'issue.created_at': 'there is none near it',
  'issue.updated_at': 'there is none near it',
  'issue.comments': 'there is none near it; what the last turn ended with is in `feedback`',
  'run.max_turns': 'there is none near it: `agent.max_turns` of the file counts the turns of an issue',
};

function findUnknown(text: string): readonly PromptNote[] {
  return listVariables(text).flatMap(({ path, line }) => {
    const isKnown =
      path === 'issue' ||
      known.some((name) => name === path || partsOfAny.some((part) => `${name}.${part}` === path));
    if (isKnown) return [];
    const name = Object.keys(elsewhere).find((one) => path === one || path.startsWith(`${one}.`));
    const nearest = nearestName(path, known);
    const hint =
      name !== undefined
        ? elsewhere[name]!
        : nearest === undefined
          ? `there is none near it (there are ${known.join(', ')})`
          : `the nearest is \`${nearest}\``;
    return [{ line, what: path, says: `evenkeel has no such variable: ${hint}` }];
  });
}

/** Variables that a template expects to be given, each once, with the line it stands on first. */
function listVariables(text: string): readonly { readonly path: string; readonly line: number }[] {
  const liquid = new Liquid();
  const found = new Map<string, number>();
  try {
    for (const uses of Object.values(liquid.analyzeSync(liquid.parse(text)).globals))
      for (const { segments, location } of uses) {
        const names = segments.slice(
          0,
          segments.findIndex((one) => typeof one !== 'string') + 1 || undefined,
        );
        const path = names.filter((one) => typeof one === 'string').join('.');
        found.set(path, Math.min(location.row, found.get(path) ?? Number.POSITIVE_INFINITY));
      }
  } catch {
    // A template that cannot be read is a problem of the file, and told as one.
    return [];
  }
  return [...found].map(([path, line]) => ({ path, line }));
}
