import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll } from 'vitest';

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
}

const bundles = new Map<string, Promise<string>>();
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Runs one of the programs beside this file as a process of its own, to its end, whatever that is. */
export async function runProgram(name: string, args: readonly string[]): Promise<Ended> {
  const bundle = bundles.get(name) ?? bundleProgram(name);
  bundles.set(name, bundle);
  const child = spawn(process.execPath, [await bundle, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, stdout }));
  });
}

/** Bundled once, since a process that compiles first takes a second to start. Beside the packages, to find them. */
async function bundleProgram(name: string): Promise<string> {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  const folder = mkdtempSync(join(root, 'node_modules', '.evenkeel-test-'));
  folders.push(folder);
  const outfile = join(folder, `${name}.mjs`);
  const entry = join(root, 'test/adapters/local-board/programs', `${name}.ts`);
  await build({
    entryPoints: [entry],
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    outfile,
  });
  return outfile;
}
