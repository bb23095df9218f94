import { chmod, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import * as z from 'zod';
import { dynamodbClient } from '../adapters/dynamodb/dynamodb-client.ts';
import { dynamodbLedger } from '../adapters/dynamodb/dynamodb-ledger.ts';
import { ensureTable } from '../adapters/dynamodb/ensure-table.ts';
import type { Ledger } from '../controller/ports.ts';
import { DataFolderError } from './data-folder-error.ts';
import { causeOf, lockDataFolder } from './data-lock.ts';
import { type EngineThread, startEngine } from './engine-thread.ts';

export interface EmbeddedStore {
  readonly ledger: Ledger;
  /**
   * Throws a `DataFolderError` when the store has failed, or when its files were removed or replaced under it: what is
   * read and written then is not what the next start will find.
   */
  check(): Promise<void>;
  /** Answers when the store fails; never rejects. */
  readonly failed: Promise<DataFolderError>;
  /** Lets requests on their way be answered, closes the store and frees the folder. Repeating it is harmless. */
  close(): Promise<void>;
}

/**
 * Opens the ledger of one machine, the embedded database on `dataDir/state`, for this process alone. Every answered write
 * survives the death of the process at any moment. Throws a `DataFolderError` that names the folder and the remedy.
 *
 * The engine checks no credentials, so it listens on no port, only on a socket in a folder that no other user can enter.
 */
export async function openEmbeddedStore(dataDir: string): Promise<EmbeddedStore> {
  const undo: (() => Promise<unknown>)[] = [];
  const undoAll = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const lock = await lockDataFolder(dataDir);
    undo.push(lock.release);
    const state = join(dataDir, 'state');
    await probe(state);
    const socket = await placeSocket(dataDir);
    undo.push(socket.remove);
    const client = localClient(socket.path);
    undo.push(async () => client.destroy());
    const engine = await startEngine(state, socket.path, dataDir);
    undo.push(engine.stop);
    await ensureTable(client, table).catch((error: unknown) => {
      throw engine.failure() ?? cannotOpen(state, causeOf(error).message);
    });
    const identities = new Map([state, lock.path].map((path) => [path, identityOf(path)]));
    return {
      ledger: dynamodbLedger({ client, table }),
      check: () => check(engine, dataDir, identities),
      failed: engine.failed,
      close: undoAll,
    };
  } catch (error) {
    await undoAll();
    throw error;
  }
}

const table = 'evenkeel';

/** Opens the files once by itself: the engine would hide why they cannot be opened. */
async function probe(state: string): Promise<void> {
  const store = new ClassicLevel(state);
  try {
    // It holds the texts of issues.
    await mkdir(state, { recursive: true, mode: 0o700 });
    await store.open();
    await forgetHalfMadeTable(store).finally(() => store.close());
  } catch (error) {
    throw cannotOpen(state, causeOf(error).message);
  }
}

/**
 * The engine makes a table in two writes. One whose maker was killed between them would never be ready, and no item was
 * ever put into it: it is made anew.
 */
async function forgetHalfMadeTable(store: ClassicLevel): Promise<void> {
  const key = `table~${table}`;
  const made = halfMadeSchema.safeParse(JSON.parse((await store.get(key)) ?? 'null'));
  if (made.success) await store.del(key);
}

const halfMadeSchema = z.object({ TableStatus: z.literal('CREATING') });

function cannotOpen(state: string, message: string): DataFolderError {
  return new DataFolderError(
    `The ledger in ${state} cannot be opened (${message}). Make sure that the folder can be written and that the disk is not full. If its files are damaged, move the folder away and start again: turns that still run are found and adopted, and the history starts anew.`,
  );
}

/**
 * In the data folder, or in a temporary one where the path would be longer than a socket's may be. The folder around it is
 * what keeps others out, on every system.
 */
async function placeSocket(dataDir: string): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const near = join(dataDir, 'socket');
  const tooLong = Buffer.byteLength(join(near, 'ledger')) > 100;
  const folder = tooLong ? await mkdtemp(join(tmpdir(), 'evenkeel-')) : near;
  // The process before may have been killed; the lock says that nobody listens there.
  if (!tooLong) await rm(near, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  return { path: join(folder, 'ledger'), remove: () => rm(folder, { recursive: true, force: true }) };
}

function localClient(socketPath: string) {
  // The SDK announces which versions of Node its future releases will need, which is no news for who runs this one.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  return dynamodbClient({
    endpoint: 'http://localhost',
    region: 'local',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    socketPath,
  });
}

async function check(
  engine: EngineThread,
  dataDir: string,
  identities: ReadonlyMap<string, Promise<string | undefined>>,
): Promise<void> {
  const failure = engine.failure();
  if (failure !== undefined) throw failure;
  for (const [path, identity] of identities) {
    if ((await identityOf(path)) === (await identity)) continue;
    throw new DataFolderError(
      `The data folder ${dataDir} was removed or replaced while it was in use (${path}). Start again: turns that still run are found and adopted.`,
    );
  }
}

async function identityOf(path: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await stat(path);
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}
