import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SimCase } from './sim-case.ts';

/** A story that once broke a promise, made short. */
export interface Kept {
  /** What went wrong, as a sentence. */
  readonly name: string;
  readonly rule: string;
  /** The mutant that brings the fault back, where there is one: with it the story must still fail. */
  readonly mutant?: string | undefined;
  readonly story: SimCase;
}

export const corpusFolder = fileURLToPath(new URL('corpus/', import.meta.url));

export async function readCorpus(): Promise<readonly Kept[]> {
  const files = await readdir(corpusFolder).catch(() => []);
  const stories = files.filter((file) => file.endsWith('.json')).sort();
  return Promise.all(
    stories.map(async (file) => JSON.parse(await readFile(join(corpusFolder, file), 'utf8')) as Kept),
  );
}

/** Answers the file's path. */
export async function keepStory(kept: Kept): Promise<string> {
  await mkdir(corpusFolder, { recursive: true });
  const name = `${kept.rule} ${kept.story.flavour} ${kept.story.seed}`
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  const path = join(corpusFolder, `${name}.json`);
  await writeFile(path, `${JSON.stringify(kept, undefined, 2)}\n`);
  return path;
}
