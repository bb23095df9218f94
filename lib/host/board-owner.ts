import { constants } from 'node:fs';
import { access, link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { readCookie } from '../adapters/local-process/cookie.ts';
import { groupProcesses, type ProcessTable, processTable } from '../adapters/local-process/process-table.ts';
import type { WorkflowProblem } from '../core/observation.ts';

/** Hidden, so that it is no issue of the board. */
export const ownerFileName = '.evenkeel-owner.json';

const ownerSchema = z.object({
  deployment: z.string(),
  dataDir: z.string(),
  pid: z.number().int().positive(),
  /** When that process began, in the machine's own unit: a pid alone may be given to another process. */
  start: z.string(),
  bootId: z.string(),
});
type Owner = Readonly<z.output<typeof ownerSchema>>;

/** Marks the folders of boards as served by one data folder: two of them would start two turns for one issue. */
export interface BoardOwner {
  /**
   * Marks all of these folders, or none. Throws a `BoardOwnedError` when one is served by somebody else who is alive, or
   * whose turns are.
   */
  take(folders: readonly string[]): Promise<void>;
  /**
   * Why this folder must not be served any more; undefined while the mark is ours. One that is missing, or of which nothing
   * lives any more, is replaced by ours. A folder that cannot be written is served as little.
   */
  check(folder: string): Promise<WorkflowProblem | undefined>;
  /** Takes away the marks that are ours; they stay while turns of this data folder live on. */
  release(): Promise<void>;
}

/** A board cannot be marked, or another data folder serves it. The message names both folders and the remedy. */
class BoardOwnedError extends Error {
  override readonly name = 'BoardOwnedError';
}

export interface BoardOwnerOptions {
  readonly deployment: string;
  readonly dataDir: string;
}

export function boardOwner({ deployment, dataDir }: BoardOwnerOptions): BoardOwner {
  const table = processTable();
  const own: Owner = {
    deployment,
    dataDir,
    pid: process.pid,
    start: table.startOf(process.pid) ?? '',
    bootId: table.bootId,
  };
  const taken = new Set<string>();
  const isOurs = (owner: Owner) => owner.deployment === deployment && owner.dataDir === dataDir;

  async function takeOne(folder: string): Promise<void> {
    const owner = (await putMark(folder, own, 'new')) ? undefined : await readOwner(folder);
    if (owner !== undefined && !isOurs(owner)) await refuseHeld(folder, owner, table);
    // What is there is our own mark of before, or that of a process which is dead.
    await putMark(folder, own, 'replace');
    taken.add(folder);
  }

  async function release(): Promise<void> {
    const living = await findLiving(own, table).catch(() => undefined);
    for (const folder of taken) {
      const owner = await readOwner(folder).catch(() => undefined);
      if (owner === undefined || !isOurs(owner) || living?.turns.length !== 0) continue;
      await rm(fileOf(folder), { force: true }).catch(() => {});
    }
    taken.clear();
  }

  return {
    async take(folders) {
      try {
        for (const folder of folders) await takeOne(folder);
      } catch (error) {
        await release();
        throw error;
      }
    },
    async check(folder) {
      try {
        const owner = await readOwner(folder);
        if (owner !== undefined && isOurs(owner)) return findDenial(folder);
        // Whose processes cannot be listed may be alive.
        const held =
          owner && (await findHold(folder, owner, table).catch(() => describeOwner(folder, owner)));
        if (held !== undefined) return { rule: 'board-owner', path: 'tracker.project', ...held };
        if (!(await putMark(folder, own, 'new'))) await putMark(folder, own, 'replace');
        return undefined;
      } catch {
        // A folder that cannot be read now is told by whoever reads its issues.
        return undefined;
      }
    },
    release,
  };
}

/** Throws a `BoardOwnedError` where another data folder serves one of these, before anything is made for serving it here. */
export async function refuseOwned(folders: readonly string[], dataDir: string): Promise<void> {
  const table = processTable();
  for (const folder of folders) {
    const owner = await readOwner(folder);
    if (owner !== undefined && owner.dataDir !== dataDir) await refuseHeld(folder, owner, table);
  }
}

/** False when there is a mark already that was not to be replaced. A reader never sees half of a mark. */
async function putMark(folder: string, owner: Owner, how: 'new' | 'replace'): Promise<boolean> {
  // Always the same name, so that the draft of a killed process is cleared away by the next one.
  const draft = `${fileOf(folder)}.${owner.deployment}`;
  try {
    await rm(draft, { force: true });
    await writeFile(draft, textOf(owner), { flag: 'wx' });
    if (how === 'replace') await rename(draft, fileOf(folder));
    else await linkOrWrite(draft, fileOf(folder), owner);
    return true;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    throw new BoardOwnedError(
      `The board ${folder} cannot be marked as served by this data folder (${code ?? message}): ${ownerFileName} could not be written there. Make sure that the folder can be written; cards are moved in it, too.`,
    );
  } finally {
    await rm(draft, { force: true }).catch(() => {});
  }
}

/** Some file systems have no second names for a file; there a reader may see an empty mark for a moment. */
async function linkOrWrite(draft: string, path: string, owner: Owner): Promise<void> {
  try {
    await link(draft, path);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(code)) throw error;
    await writeFile(path, textOf(owner), { flag: 'wx' });
  }
}

function textOf(owner: Owner): string {
  return `${JSON.stringify(owner, undefined, 2)}\n`;
}

/** Undefined when there is no mark, or none that can be understood. */
async function readOwner(folder: string): Promise<Owner | undefined> {
  let text: string;
  try {
    text = await readFile(fileOf(folder), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new BoardOwnedError(
      `${fileOf(folder)} cannot be read (${(error as Error).message}). It says who serves the board; check its rights.`,
    );
  }
  try {
    return ownerSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

async function refuseHeld(folder: string, owner: Owner, table: ProcessTable): Promise<void> {
  const held = await findHold(folder, owner, table);
  if (held !== undefined) throw new BoardOwnedError(`${held.message}. ${inWords(held.toResume)}.`);
}

interface Hold {
  readonly message: string;
  readonly toResume: string;
}

/** Whose the board is while its holder, or a turn of it, lives; undefined once nothing of the mark does. */
async function findHold(folder: string, owner: Owner, table: ProcessTable): Promise<Hold | undefined> {
  const { host, turns } = await findLiving(owner, table);
  if (host) return describeOwner(folder, owner);
  return turns.length > 0 ? describeLeftTurns(folder, owner, turns) : undefined;
}

function inWords(remedy: string): string {
  return `${remedy[0]!.toUpperCase()}${remedy.slice(1)}`;
}

/**
 * What lives of a mark: the very process that put it, and turns of its data folder, which outlive their host. What is of
 * another boot, or of another machine, cannot be seen and does not count.
 */
async function findLiving(
  { deployment, pid, start, bootId }: Owner,
  table: ProcessTable,
): Promise<{ readonly host: boolean; readonly turns: readonly number[] }> {
  if (bootId !== table.bootId) return { host: false, turns: [] };
  const processes = await table.read();
  const turns = [...groupProcesses(processes, 'cookie')].flatMap(([cookie, carriers]) =>
    cookie !== undefined && readCookie(deployment, cookie) !== undefined ? [carriers[0]!.pid] : [],
  );
  return { host: processes.some((process) => process.pid === pid && process.start === start), turns };
}

/** Why no card can be moved in the folder: a turn that started would end with nowhere to go. */
async function findDenial(folder: string): Promise<WorkflowProblem | undefined> {
  const denied = await access(folder, constants.W_OK).then(
    () => undefined,
    ({ code }: NodeJS.ErrnoException) => code,
  );
  if (denied !== 'EACCES' && denied !== 'EROFS' && denied !== 'EPERM') return undefined;
  return {
    rule: 'board-writable',
    path: 'tracker.project',
    message: `The board ${folder} cannot be written (${denied}), so that no card can be moved`,
    toResume: 'make the folder writable for the user who runs this',
  };
}

function describeLeftTurns(folder: string, { dataDir }: Owner, pids: readonly number[]): Hold {
  const [turns, them] = pids.length === 1 ? ['a turn', 'it'] : [`${pids.length} turns`, 'them'];
  return {
    message: `The board ${folder} was served by the data folder ${dataDir}, whose host is gone while ${turns} of it still run${pids.length === 1 ? 's' : ''} (pid ${pids.join(', ')}); a second turn could start for the same issue`,
    toResume: `start its host again with --data ${dataDir}, which goes on with ${them}, or end ${them} with kill ${pids.join(' ')}`,
  };
}

function describeOwner(folder: string, { dataDir, pid }: Owner): Hold {
  return {
    message: `The board ${folder} is served by another data folder, ${dataDir} (pid ${pid}); two would start two turns for one issue`,
    toResume: `use that one with --data ${dataDir}, or stop its host first (kill ${pid})`,
  };
}

function fileOf(folder: string): string {
  return join(folder, ownerFileName);
}
