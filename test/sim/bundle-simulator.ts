import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { tellErrors } from './error-places.ts';
import { applyPatches, type Mutant } from './mutants/mutant.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * The simulator with the product's sources in one file, which runs several times as fast as through a loader; with a
 * mutant, the product's sources have its patches in them. The sources themselves are not touched. Answers every place at
 * which a controller takes an error.
 */
export async function bundleSimulator(
  outfile: string,
  mutant?: Mutant,
  entry = 'test/sim/seed-worker.ts',
): Promise<readonly string[]> {
  const places: string[] = [];
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
    plugins: [loading(mutant, places)],
  });
  return places;
}

function loading(mutant: Mutant | undefined, places: string[]): Plugin {
  return {
    name: 'product',
    setup(bundle) {
      const used = new Set<string>();
      bundle.onLoad({ filter: /\/lib\/.*\.ts$/ }, async ({ path }) => {
        const file = relative(root, path);
        used.add(file);
        const source = await readFile(path, 'utf8');
        const patched = mutant === undefined ? source : applyPatches(mutant, file, source);
        if (!file.startsWith('lib/controller/')) return { contents: patched, loader: 'ts' };
        const told = tellErrors(file, patched);
        places.push(...told.places);
        return { contents: told.text, loader: 'ts' };
      });
      bundle.onEnd(() => {
        const unused = mutant?.patches.find((patch) => !used.has(patch.file));
        if (unused !== undefined)
          throw new Error(`mutant ${mutant?.name}: ${unused.file} is no part of the simulator`);
      });
    },
  };
}
