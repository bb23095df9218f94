import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type GrowingFile, growingFile } from './growing-file.ts';

/** The logs of one turn, in the order in which they appear. */
export interface TurnLogs {
  /** How often it is worth looking for more. */
  readonly pollMs: number;
  /** Whether nothing more comes than what can be read now. */
  hasEnded(): boolean | Promise<boolean>;
  /** The whole lines that are new; with `isLast` also one without its end, because nothing more can come. */
  readNew(isLast: boolean): AsyncIterable<{ readonly name: string; readonly lines: readonly string[] }>;
}

/** Those of a turn on this machine, which are files. */
export function turnLogs(folder: string): TurnLogs {
  const files = new Map<string, { readonly file: GrowingFile; rest: string }>();
  const add = (name: string, path: string) => {
    if (!files.has(name)) files.set(name, { file: growingFile(path), rest: '' });
  };
  return {
    pollMs: 250,
    hasEnded: () =>
      existsSync(join(folder, 'exit.json')) || isOlderThan(join(folder, 'outcome.json'), lastWordsMs),
    async *readNew(isLast) {
      add('runner.log', join(folder, 'runner.log'));
      for (const name of listLogs(join(folder, 'out'))) add(name, join(folder, 'out', name));
      for (const [name, log] of files) {
        for (let news = await log.file.readNew(); ; news = await log.file.readNew()) {
          const isFinal = isLast && news === '';
          const lines = takeLines(log, news, isFinal);
          if (lines.length > 0) yield { name, lines };
          if (news === '') break;
        }
      }
    },
  };
}

function takeLines(log: { rest: string }, news: string, isFinal: boolean): readonly string[] {
  const lines = (log.rest + news).split('\n');
  const rest = lines.pop()!;
  log.rest = rest;
  return isFinal && rest !== '' ? [...lines, rest] : lines;
}

/** Hooks that run before the agent come first: the names of gates and of later hooks are only there later. */
function listLogs(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.log'))
      .sort((a, b) => rankOf(a) - rankOf(b) || a.localeCompare(b));
  } catch {
    return [];
  }
}

const order = ['after_create.log', 'before_run.log', 'agent.log', 'after_run.log'];

function rankOf(name: string): number {
  const rank = order.indexOf(name);
  return rank === -1 ? order.length : rank;
}

/** A turn writes its outcome before its last lines; only the host that saw it exit says that nothing more comes. */
const lastWordsMs = 3_000;

function isOlderThan(path: string, ms: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && Date.now() - found.mtimeMs > ms;
}
