import type { Problem } from './contract.ts';
import { readFrontMatter } from './front-matter.ts';
import { parseWorkflow, type Workflow } from './workflow.ts';

type Values = Record<string, unknown>;

/** What can still be asked of a workflow file that has problems. */
export interface RoughWorkflow {
  /** The file without what is wrong with it. Never to be served. */
  readonly workflow: Workflow;
  /** Whether a further problem is the file's own: of what it does not write, or has a problem told already, nothing new is said. */
  readonly isNews: (problem: Problem) => boolean;
}

/** As many rounds as faults can hide behind one another; what is not mended by then is not judged further. */
const mostRounds = 8;

/**
 * Makes of a file with problems what can be judged further, so that a person is told of everything at once: a field with a
 * problem is left out, a missing one is filled. Undefined when there is too little left.
 */
export function roughWorkflow(text: string, source: string): RoughWorkflow | undefined {
  const file = readFrontMatter(text, source);
  if ('problems' in file) return undefined;
  const values = structuredClone(file.values) as Values;
  const told: string[] = [];
  let body = file.body;
  for (let round = 0; round < mostRounds; round += 1) {
    const parsed = parseWorkflow(`---\n${JSON.stringify(values)}\n---\n${body}`, source);
    if ('workflow' in parsed) {
      const isNews = ({ path }: Problem) =>
        path === '' ? body === file.body : isIn(file.values, path) && !told.some((one) => touches(one, path));
      return { workflow: parsed.workflow, isNews };
    }
    // From the end of a list to its beginning, so that the places of those before stay the same.
    for (const { path } of [...parsed.problems].sort((a, b) => (a.path < b.path ? 1 : -1))) {
      told.push(path);
      if (path === '') body = 'Work.\n';
      else mend(values, keysOf(path));
    }
  }
  return undefined;
}

function mend(values: Values, keys: readonly string[]): void {
  const last = keys.at(-1)!;
  const place = keys.slice(0, -1).reduce<unknown>((at, key) => childOf(at, key), values);
  if (Array.isArray(place)) place.splice(Number(last), 1);
  else if (typeof place === 'object' && place !== null) {
    const map = place as Values;
    if (last in map) delete map[last];
    else map[last] = 'x';
  }
}

function isIn(values: unknown, path: string): boolean {
  return keysOf(path).reduce<unknown>((at, key) => childOf(at, key), values) !== undefined;
}

function childOf(at: unknown, key: string): unknown {
  return typeof at === 'object' && at !== null ? (at as Values)[key] : undefined;
}

/** Whether one of the two fields is the other or a part of it. */
function touches(one: string, other: string): boolean {
  const [short, long] =
    one.length < other.length ? [keysOf(one), keysOf(other)] : [keysOf(other), keysOf(one)];
  return short.every((key, at) => long[at] === key);
}

function keysOf(path: string): readonly string[] {
  return path.split(/[.[\]]+/).filter((key) => key !== '');
}
