import type { Issue } from '../../../lib/core/issue.ts';
import { drawCase } from '../draw-case.ts';
import type { FlavourName } from '../flavours.ts';
import type { PortCall } from '../models/watch-ports.ts';
import { runCase } from '../run-case.ts';
import type { SimCase } from '../sim-case.ts';
import type { Trace } from '../trace.ts';
import { withTexts } from './draw-texts.ts';

/** Where two worlds that differ only in what people wrote did not do the same. */
export interface Difference {
  readonly seed: number;
  /** How many lines were the same before. */
  readonly line: number;
  readonly one: string | undefined;
  readonly other: string | undefined;
}

export interface Compared {
  readonly difference: Difference | undefined;
  readonly lines: number;
  readonly turns: number;
}

/**
 * Runs the world of a seed twice, with other titles and bodies, and compares every call to a tracker, the ledger and the
 * runner, and every line that is logged, with the moment of each.
 */
export async function comparePair(seed: number, flavour?: FlavourName): Promise<Compared> {
  const story = drawCase(seed, flavour);
  const [one, other] = [await runOne(withTexts(story, 'one')), await runOne(withTexts(story, 'other'))];
  const length = Math.max(one.lines.length, other.lines.length);
  const at = Array.from({ length }, (_, line) => line).find((line) => one.lines[line] !== other.lines[line]);
  return {
    difference: at === undefined ? undefined : { seed, line: at, one: one.lines[at], other: other.lines[at] },
    lines: length,
    turns: one.turns,
  };
}

async function runOne(
  story: SimCase,
): Promise<{ readonly lines: readonly string[]; readonly turns: number }> {
  const lines: string[] = [];
  const trace: Trace = {
    write: (line) => void lines.push(JSON.stringify(line)),
    called: (call) => void lines.push(describeCall(call)),
    hash: () => '',
    lines: () => lines,
  };
  const { turns } = await runCase(story, { trace });
  return { lines, turns };
}

/**
 * What each field of an issue is. Who wrote it stands nowhere: what a tracker knows of people ends as `movedBy` and
 * `trusted`.
 */
const fields: Readonly<Record<keyof Issue, 'text' | 'fact'>> = {
  id: 'fact',
  key: 'fact',
  title: 'text',
  description: 'text',
  url: 'fact',
  state: 'fact',
  conflictingStates: 'fact',
  closed: 'fact',
  labels: 'fact',
  priority: 'fact',
  blockers: 'fact',
  assignees: 'text',
  createdAt: 'fact',
  movedBy: 'fact',
  trusted: 'fact',
};

/**
 * A call in one line, without what may differ: the text of an issue that is handed on whole, to a tracker's write or into
 * the record of its turn, and the body of a comment.
 */
function describeCall({ at, by, port, method, given }: PortCall): string {
  const shown = given.map((one) => withoutText(port, method, one));
  return JSON.stringify({ at, by, call: `${port}.${method}`, given: shown });
}

function withoutText(port: PortCall['port'], method: string, given: unknown): unknown {
  if (typeof given !== 'object' || given === null) return given;
  if (isIssue(given)) return factsOf(given);
  if (port === 'tracker' && method === 'comment') return { ...given, body: undefined };
  if (method !== 'putTurn') return given;
  const record = given as { readonly issue: Issue };
  return { ...record, issue: factsOf(record.issue) };
}

function isIssue(given: object): given is Issue {
  return 'conflictingStates' in given && 'title' in given;
}

function factsOf(issue: Issue): object {
  return Object.fromEntries(Object.entries(issue).filter(([name]) => fields[name as keyof Issue] !== 'text'));
}
