import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const beside = (name) => fileURLToPath(new URL(name, import.meta.url));

/** What no function uses of the SDK, and what is in its place. */
const alias = {
  '@aws-sdk/credential-provider-node': beside('./environment-credentials.mjs'),
  '@aws-sdk/endpoint-cache': beside('./no-endpoint-discovery.mjs'),
  '@smithy/core/event-streams': beside('./no-event-streams.mjs'),
};

export const functionNames = ['reconcile', 'webhook', 'turn-api', 'turn-end'];

/** A client tells its service the version out of its package.json; everything else in there would only be carried along. */
const versionsOnly = {
  name: 'versions-only',
  setup({ onLoad }) {
    onLoad({ filter: /@aws-sdk\/client-[^/]+\/package\.json$/ }, async ({ path }) => ({
      contents: JSON.stringify({ version: JSON.parse(await readFile(path, 'utf8')).version }),
      loader: 'json',
    }));
  },
};

/** Bundles the functions of a deployment, each into `<outdir>/<name>/index.mjs`; `entryOf` names its source. */
export async function functionBundles(outdir, entryOf = (name) => `functions/lambda/${name}.ts`) {
  await build({
    entryPoints: functionNames.map((name) => ({ in: entryOf(name), out: `${name}/index` })),
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    mainFields: ['module', 'main'],
    alias,
    // Packages inside the bundle import `createRequire` under its own name, so the banner must not.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    plugins: [versionsOnly],
    logLevel: 'warning',
  });
}
