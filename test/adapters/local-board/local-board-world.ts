import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { localBoard } from '../../../lib/adapters/local-board/local-board.ts';
import type { IssueId, StateName } from '../../../lib/core/issue.ts';
import { boardStates, finalStates, type TrackerWorld } from '../../contracts/tracker-world.ts';
import { buildIssue } from '../../support/build-issue.ts';

/** An issue's file, in `Todo`, with more lines of front matter. */
export function issueText(title: string, more = ''): string {
  return `---\ntitle: ${title}\nstate: Todo\n${more}---\nBody\n`;
}

/** A local board in a folder of its own, and hands on its files. */
export interface LocalBoardWorld extends TrackerWorld {
  readonly folder: string;
  put(name: string, text: string | Uint8Array): Promise<void>;
  text(name: string): Promise<string>;
  names(): Promise<readonly string[]>;
  /** The keys of all issues and of all broken files, as listed. */
  listKeys(): Promise<{ readonly keys: readonly string[]; readonly broken: readonly string[] }>;
}

export async function makeLocalBoard(
  options: { readonly now?: () => number } = {},
): Promise<LocalBoardWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'evenkeel-board-'));
  const path = (name: string) => join(folder, name);
  const put = (name: string, text: string | Uint8Array) => writeFile(path(name), text);
  const text = (name: string) => readFile(path(name), 'utf8');
  const change = async (id: string, edit: (text: string) => string) =>
    put(`${id}.md`, edit(await text(`${id}.md`)));
  const move = (id: string, to: string) =>
    change(id, (before) => before.replace(/^state: .*$/m, `state: ${to}`));
  await put('board.yaml', `states: [${boardStates.join(', ')}]\n`);
  const tracker = localBoard({ folder, terminalStates: finalStates, ...options });
  return {
    tracker,
    comparesAndSets: true,
    keepsMoves: false,
    folder,
    put,
    text,
    listKeys: async () => {
      const { issues, broken } = await tracker.list(boardStates as StateName[]);
      return { keys: issues.map(({ key }) => key).sort(), broken: broken.map(({ key }) => key).sort() };
    },
    names: async () => (await readdir(folder)).sort(),
    add: async (fields) => {
      const { key, title, state, priority, labels, assignees, description, createdAt } = buildIssue(fields);
      const lines = [`title: ${title}`, `state: ${state}`, `labels: [${labels.join(', ')}]`];
      if (assignees.length > 0) lines.push(`assignees: [${assignees.join(', ')}]`);
      if (priority !== undefined) lines.push(`priority: ${priority}`);
      if (createdAt !== undefined) lines.push(`created_at: ${new Date(createdAt).toISOString()}`);
      await put(`${key}.md`, `---\n${lines.join('\n')}\n---\n\n${description}\n`);
      return key as string as IssueId;
    },
    move,
    close: (id) => move(id, 'Done'),
    edit: (id) => change(id, (before) => `${before}\nAnother line.\n`),
    remove: (id) => rm(path(`${id}.md`)),
    spoil: (id, how) =>
      change(id, (before) =>
        how === 'unreadable' ? 'nothing of use' : before.replace('state: ', 'state: Done\nstate: '),
      ),
    breakDown: () => rename(folder, `${folder}-away`),
    stateOf: async (id) => parse((await text(`${id}.md`)).split(/^---$/m)[1] ?? '').state,
    restOf: async (id) => (await text(`${id}.md`)).replace(/^state: .*$/m, 'state:'),
    commentsOf: async (id) => {
      const names = (await readdir(folder)).filter((name) => name.startsWith(id) && name !== `${id}.md`);
      return Promise.all(names.map(text));
    },
    dispose: async () => {
      for (const one of [folder, `${folder}-away`]) await rm(one, { recursive: true, force: true });
    },
  };
}
