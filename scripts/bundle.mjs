// Bundles the command line and the turn program into dist/, so that `npx evenkeel` needs no build step of its own, and each
// function of a deployment into dist/functions/<name>/index.mjs.
import { chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { functionBundles } from './function-bundles.mjs';

// Packages inside the bundle import `createRequire` under its own name, so the banner must not.
const banner = {
  js: "#!/usr/bin/env node\nimport { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
};

// Built aside and moved file by file, so that a program that runs from dist/ meanwhile never finds a file missing.
await mkdir('dist', { recursive: true });
const draft = await mkdtemp('dist.new-');
try {
  const common = {
    outdir: draft,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    // Half the size and twice as fast to load as the default order: the vendors' CommonJS builds do not shake.
    mainFields: ['module', 'main'],
    banner,
    sourcemap: 'linked',
    logLevel: 'warning',
  };
  await build({
    ...common,
    entryPoints: {
      evenkeel: 'bin/evenkeel.ts',
      // The thread that serves the embedded database; the host starts it from beside itself.
      'embedded-engine': 'lib/host/embedded-engine.js',
    },
    // What speaks to AWS is in files of its own, which no other command loads. All lie in one folder: some find others beside them.
    splitting: true,
    // The embedded engine loads a native addon and reads files beside its sources; it stays a dependency.
    external: ['dynalite', 'classic-level'],
  });
  // One file, known by its hash: it is all that a container fetches.
  await build({ ...common, entryPoints: { turn: 'bin/turn.ts' } });
  await functionBundles(join(draft, 'functions'));
  await Promise.all(['evenkeel.js', 'turn.js'].map((file) => chmod(join(draft, file), 0o755)));
  const entries = ['evenkeel.js', 'embedded-engine.js'];
  const files = await filesIn(draft);
  // A program is there only once everything is that it loads.
  const built = [...files.filter((file) => !entries.includes(file)), ...entries];
  for (const file of built) {
    await mkdir(dirname(join('dist', file)), { recursive: true });
    await rename(join(draft, file), join('dist', file));
  }
  const left = (await filesIn('dist')).filter((file) => !built.includes(file));
  // One that has just started may still be loading what belongs to it.
  if (left.length > 0) await sleep(2_000);
  await Promise.all(left.map((file) => rm(join('dist', file), { force: true })));
} finally {
  await rm(draft, { recursive: true, force: true });
}

async function filesIn(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}
