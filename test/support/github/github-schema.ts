import { readFileSync } from 'node:fs';
import { buildASTSchema, extendSchema, type GraphQLSchema, parse } from 'graphql';

let built: GraphQLSchema | undefined;

/** GitHub's schema as its publisher packs it, with what the vendor has added since. Built once in a process. */
export function githubSchema(): GraphQLSchema {
  if (built !== undefined) return built;
  // The package exports its schema as code only, five times as long.
  const published = new URL('../../../node_modules/@octokit/graphql-schema/schema.graphql', import.meta.url);
  const additions = new URL('./github-additions.graphql', import.meta.url);
  const base = buildASTSchema(parse(readFileSync(published, 'utf8'), { noLocation: true }), {
    assumeValidSDL: true,
  });
  built = extendSchema(base, parse(readFileSync(additions, 'utf8')), { assumeValidSDL: true });
  return built;
}
