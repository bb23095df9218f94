import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import type { Arn, BoardId, IssueId, StateKey, TurnId } from '../../core/issue.ts';
import { turnFolderNames, turnResultSchema } from '../../core/turn-protocol.ts';
import { plainName } from './cookie.ts';
import { readSmallFile, type SmallFile, writeSmallFile } from './small-file.ts';

const branded = <Name extends string>() => z.string().transform((text) => text as Name);

/** Written before the process is started: what the turn is, and by which cookie its processes are known. */
const turnFileSchema = z.object({
  turnId: branded<TurnId>(),
  board: branded<BoardId>(),
  issueId: branded<IssueId>(),
  attempt: z.int(),
  capStates: z.array(branded<StateKey>()),
  cookie: z.string(),
});
export type TurnFile = Readonly<z.infer<typeof turnFileSchema>>;

/** Written right after: which process it became. The turn program learns its own name from it. */
const taskFileSchema = z.object({ arn: branded<Arn>() });
export type TaskFile = Readonly<z.infer<typeof taskFileSchema>>;

/** Written by the host that first asked the turn to end. */
const askFileSchema = z.object({ at: z.number() });
export type AskFile = Readonly<z.infer<typeof askFileSchema>>;

/** Written by the host that saw the process end. */
const exitFileSchema = z.object({ code: z.int().nullable(), signal: z.string().nullable(), at: z.number() });
export type ExitFile = Readonly<z.infer<typeof exitFileSchema>>;

/**
 * One folder for each turn, `turns/TURNID/`, is the token of its launch and the home of its workspace and logs. An agent
 * of the same user can write in it, so that nothing in it is believed before it has been checked, and its absence
 * proves nothing.
 */
export function turnFolders(dataDir: string) {
  const root = resolve(dataDir, 'turns');
  const fileOf = (turnId: TurnId, name: string) => join(root, turnId, name);
  const files = {
    turn: 'turn.json',
    task: 'task.json',
    ask: 'ask.json',
    exit: 'exit.json',
    outcome: turnFolderNames.outcome,
  };

  return {
    pathOf: (turnId: TurnId) => join(root, turnId),
    logOf: (turnId: TurnId) => fileOf(turnId, 'runner.log'),
    /** Whether this call made the folder; false when there is one already. */
    create: (turnId: TurnId) => createFolder(root, join(root, turnId)),
    /** Takes the folder of a start that failed away again. */
    discard: (turnId: TurnId) => removeIfPossible(join(root, turnId)),
    names: () => listFolders(root),
    holds: (turnId: TurnId, name: string) => existsSync(fileOf(turnId, name)),

    turn: (turnId: TurnId) => readSmallFile(fileOf(turnId, files.turn), turnFileSchema),
    task: (turnId: TurnId) => readSmallFile(fileOf(turnId, files.task), taskFileSchema),
    ask: (turnId: TurnId) => readSmallFile(fileOf(turnId, files.ask), askFileSchema),
    exit: (turnId: TurnId) => readSmallFile(fileOf(turnId, files.exit), exitFileSchema),
    /** The result that the turn program left because no turn API answered. */
    outcome: (turnId: TurnId) => readSmallFile(fileOf(turnId, files.outcome), turnResultSchema),

    recordTurn: (turn: TurnFile) => writeSmallFile(fileOf(turn.turnId, files.turn), turn),
    recordTask: (turnId: TurnId, task: TaskFile) => writeSmallFile(fileOf(turnId, files.task), task),
    recordAsk: (turnId: TurnId, ask: AskFile) => writeSmallFile(fileOf(turnId, files.ask), ask),
    recordExit: (turnId: TurnId, exit: ExitFile) => writeSmallFile(fileOf(turnId, files.exit), exit),

    /** When one of the folder's own files was last written, in milliseconds since the epoch. */
    lastSignOf: (turnId: TurnId) =>
      Math.max(...['', ...Object.values(files)].map((name) => modifiedAt(fileOf(turnId, name)))),
  };
}
export type TurnFolders = ReturnType<typeof turnFolders>;

/** The value of a readable file, for those to whom a broken one is as good as none. */
export function foundValue<Shape>(file: SmallFile<Shape>): Shape | undefined {
  return file.kind === 'found' ? file.value : undefined;
}

function createFolder(root: string, folder: string): boolean {
  mkdirSync(root, { recursive: true, mode: 0o700 });
  try {
    mkdirSync(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** One that stays is harmless: without a `task.json` it counts as never launched. */
function removeIfPossible(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {}
}

function listFolders(root: string): readonly TurnId[] {
  try {
    return readdirSync(root).filter((name) => plainName.test(name)) as TurnId[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function modifiedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
