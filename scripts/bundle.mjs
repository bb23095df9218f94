// Bundles the command line and the turn program into dist/, so that `npx evenkeel` needs no build step of its own.
import { chmod, rm } from 'node:fs/promises';
import { build } from 'esbuild';

// Packages inside the bundle import `createRequire` under its own name, so the banner must not.
const banner = {
  js: "#!/usr/bin/env node\nimport { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
};

await rm('dist', { recursive: true, force: true });
await build({
  entryPoints: {
    evenkeel: 'bin/evenkeel.ts',
    turn: 'bin/turn.ts',
    // The thread that serves the embedded database; the host starts it from beside itself.
    'embedded-engine': 'lib/host/embedded-engine.js',
  },
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  // Half the size and twice as fast to load as the default order: the vendors' CommonJS builds do not shake.
  mainFields: ['module', 'main'],
  // The embedded engine loads a native addon and reads files beside its sources; it stays a dependency.
  external: ['dynalite', 'classic-level'],
  banner,
  sourcemap: 'linked',
  logLevel: 'warning',
});
await Promise.all(['dist/evenkeel.js', 'dist/turn.js'].map((file) => chmod(file, 0o755)));
