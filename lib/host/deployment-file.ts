import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { DataFolderError } from './data-folder-error.ts';
import { writePrivateFile } from './private-file.ts';

const plainName = /^[A-Za-z0-9_-]{1,100}$/;
const secret = z.string().min(32);

const deploymentSchema = z.object({
  /** Tells this data folder's turns from those of another one. */
  deployment: z.string().regex(plainName),
  ticketSecret: secret,
  webhookSecret: secret,
  /** What the boards are called, by their places: a name once given stays. */
  boards: z.record(z.string(), z.string()).default({}),
  /** The workflow files that were served last. */
  workflows: z.array(z.string()).default([]),
});

/** What a data folder is and what only it knows: made once, kept in `deployment.json`. */
export type Deployment = Readonly<z.output<typeof deploymentSchema>>;

/** Undefined when there is none yet. Throws a `DataFolderError` when it cannot be understood. */
export async function readDeployment(dataDir: string): Promise<Deployment | undefined> {
  const path = fileOf(dataDir);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new DataFolderError(`${path} cannot be read (${(error as Error).message}). Check its rights.`);
  }
  const parsed = deploymentSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new DataFolderError(
    `${path} cannot be understood. Put its backup back; or move it away once no turn runs any more, because turns are known again by what stands in it.`,
  );
}

export async function writeDeployment(dataDir: string, deployment: Deployment): Promise<void> {
  const path = fileOf(dataDir);
  try {
    await writePrivateFile(path, `${JSON.stringify(deployment, undefined, 2)}\n`);
  } catch (error) {
    throw new DataFolderError(
      `${path} cannot be written (${(error as Error).message}). Check that the folder can be written and that the disk is not full.`,
    );
  }
}

/** A new data folder's own name and secrets. */
export function makeDeployment(): Deployment {
  return {
    deployment: `d${randomBytes(9).toString('hex')}`,
    ticketSecret: randomBytes(32).toString('base64url'),
    webhookSecret: randomBytes(32).toString('base64url'),
    boards: {},
    workflows: [],
  };
}

function fileOf(dataDir: string): string {
  return join(dataDir, 'deployment.json');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
