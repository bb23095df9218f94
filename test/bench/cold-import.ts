import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build, type Plugin } from 'esbuild';
import { functionBundles, functionNames } from '../../scripts/function-bundles.mjs';
import { median, printTable } from './measure.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const samples = 9;

/**
 * How long a new process takes to import each function as it is deployed, in one file, beside the same function as its
 * sources and packages are: file by file. Both are taken in turns, so that what else the machine does meets both.
 */
export async function benchColdImport(): Promise<void> {
  // Packages are found from below the folder that they are in.
  const folder = await mkdtemp(join(root, 'node_modules', '.evenkeel-bench-'));
  try {
    await functionBundles(join(folder, 'bundled'));
    await transpile(join(folder, 'plain'));
    const rows: string[][] = [];
    for (const name of functionNames) {
      const bundled = join(folder, 'bundled', name, 'index.mjs');
      const plain = join(folder, 'plain', 'functions', 'lambda', `${name}.mjs`);
      const times = { bundled: [] as number[], plain: [] as number[] };
      for (let sample = 0; sample <= samples; sample += 1) {
        const [ofBundle, ofPlain] = [await importMs(bundled), await importMs(plain)];
        // The first ones read from the disk what the others find in memory.
        if (sample === 0) continue;
        times.bundled.push(ofBundle);
        times.plain.push(ofPlain);
      }
      const [bundledMs, plainMs] = [median(times.bundled), median(times.plain)];
      const { size } = await stat(bundled);
      rows.push([
        name,
        size.toLocaleString('en'),
        bundledMs.toFixed(0),
        plainMs.toFixed(0),
        `${(bundledMs / plainMs).toFixed(2)}x`,
      ]);
    }
    printTable(
      'importing a function in a new process: its bundle, and its files and packages one by one',
      ['function', 'bytes', 'bundle ms', 'files ms', 'bundle / files'],
      rows,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Milliseconds in a process of its own, which has loaded nothing yet. */
async function importMs(file: string): Promise<number> {
  const url = JSON.stringify(pathToFileURL(file).href);
  const code = `const begun = performance.now(); const { handler } = await import(${url}); console.log(typeof handler, performance.now() - begun);`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code]);
  const [, ms] = /^function ([\d.]+)\n$/.exec(stdout) ?? [];
  if (ms === undefined) throw new Error(`${file} has no handler: it said ${stdout}`);
  return Number(ms);
}

/** Every source as a file of its own, without its types and otherwise as it is. */
async function transpile(outdir: string): Promise<void> {
  await build({
    entryPoints: await sourcesIn(['functions', 'lib/core', 'lib/controller', 'lib/adapters']),
    absWorkingDir: root,
    outbase: root,
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    plugins: [leaveApart],
    logLevel: 'warning',
  });
}

async function sourcesIn(folders: readonly string[]): Promise<string[]> {
  const found = await Promise.all(folders.map((folder) => readdir(join(root, folder), { recursive: true })));
  const files = found.flatMap((names, at) => names.map((name) => join(folders[at]!, name)));
  return files.filter((file) => file.endsWith('.ts'));
}

const leaveApart: Plugin = {
  name: 'leave-apart',
  setup({ onResolve }) {
    onResolve({ filter: /^\..*\.ts$/ }, ({ path, kind }) =>
      kind === 'entry-point' ? undefined : { path: path.replace(/\.ts$/, '.mjs'), external: true },
    );
  },
};
