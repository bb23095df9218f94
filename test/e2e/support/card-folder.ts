import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A board as a person sees it: a folder of cards, edited with an editor that saves by rename. */
export interface CardFolder {
  readonly folder: string;
  readonly states: readonly string[];
  /** Writes a new card. */
  add(key: string, fields?: Readonly<Record<string, unknown>>): void;
  move(key: string, state: string): void;
  /** Replaces the whole text of a card by what `change` makes of it. */
  edit(key: string, change: (text: string) => string): void;
  /** The card's state; undefined when there is no such file, or not exactly one `state:` line in it. */
  stateOf(key: string): string | undefined;
  /** The status comment; undefined when there is none. */
  commentOf(key: string): string | undefined;
  remove(key: string): void;
  /** Names the board's states anew. */
  name(states: readonly string[]): void;
}

export const usualStates = ['Backlog', 'Todo', 'In Progress', 'In Review', 'Done', 'Cancelled'];

export function makeCardFolder(folder: string): CardFolder {
  mkdirSync(folder, { recursive: true });
  const fileOf = (key: string) => join(folder, `${key}.md`);
  const save = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(`${path}~`, text);
    renameSync(`${path}~`, path);
  };
  const board: CardFolder = {
    folder,
    states: usualStates,
    add(key, fields = {}) {
      const all = { title: `Work on ${key}`, state: 'Todo', ...fields };
      const lines = Object.entries(all).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
      save(`${key}.md`, ['---', ...lines, '---', `What to do for ${key}.`, ''].join('\n'));
    },
    move: (key, state) =>
      board.edit(key, (text) => text.replace(/^state:.*$/m, `state: ${JSON.stringify(state)}`)),
    edit: (key, change) => save(`${key}.md`, change(readFileSync(fileOf(key), 'utf8'))),
    stateOf(key) {
      if (!existsSync(fileOf(key))) return undefined;
      const lines = [...readFileSync(fileOf(key), 'utf8').matchAll(/^state: *["']?(.*?)["']? *$/gm)];
      return lines.length === 1 ? lines[0]![1] : undefined;
    },
    commentOf(key) {
      const path = join(folder, `${key}.status.md`);
      return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
    },
    remove: (key) => rmSync(fileOf(key)),
    name: (states) => save('board.yaml', `states: ${JSON.stringify(states)}\n`),
  };
  board.name(usualStates);
  return board;
}
