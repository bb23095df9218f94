import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { applyPatches, type Mutant } from './mutants/mutant.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * The simulator with the product's sources in one file, which runs several times as fast as through a loader; with a
 * mutant, the product's sources have its patches in them. The sources themselves are not touched.
 */
export async function bundleSimulator(
  outfile: string,
  mutant?: Mutant,
  entry = 'test/sim/seed-worker.ts',
): Promise<void> {
  await build({
    entryPoints: [join(root, entry)],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    mainFields: ['module', 'main'],
    external: ['esbuild'],
    // Packages inside the bundle import `createRequire` under its own name, so the banner must not.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    logLevel: 'error',
    plugins: mutant === undefined ? [] : [patching(mutant)],
  });
}

function patching(mutant: Mutant): Plugin {
  return {
    name: 'mutant',
    setup(bundle) {
      const used = new Set<string>();
      bundle.onLoad({ filter: /\/lib\/.*\.ts$/ }, async ({ path }) => {
        const file = relative(root, path);
        used.add(file);
        return { contents: applyPatches(mutant, file, await readFile(path, 'utf8')), loader: 'ts' };
      });
      bundle.onEnd(() => {
        const unused = mutant.patches.find((patch) => !used.has(patch.file));
        if (unused !== undefined)
          throw new Error(`mutant ${mutant.name}: ${unused.file} is no part of the simulator`);
      });
    },
  };
}
