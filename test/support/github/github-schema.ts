import { readFileSync } from 'node:fs';
import {
  buildASTSchema,
  type DocumentNode,
  extendSchema,
  type GraphQLSchema,
  Kind,
  parse,
  visit,
} from 'graphql';

let built: GraphQLSchema | undefined;

/** GitHub's schema as its publisher packs it, with what the vendor has added since. Built once in a process. */
export function githubSchema(): GraphQLSchema {
  if (built !== undefined) return built;
  // The package exports its schema as code only, five times as long.
  const published = new URL('../../../node_modules/@octokit/graphql-schema/schema.graphql', import.meta.url);
  const additions = new URL('./github-additions.graphql', import.meta.url);
  const base = buildASTSchema(addItemsFilter(parse(readFileSync(published, 'utf8'), { noLocation: true })), {
    assumeValidSDL: true,
  });
  built = extendSchema(base, parse(readFileSync(additions, 'utf8')), { assumeValidSDL: true });
  return built;
}

/** `ProjectV2.items(query:)` is an argument of a field that is there already, which an extension cannot add. */
function addItemsFilter(published: DocumentNode): DocumentNode {
  const [added] = parse('input Added { query: String }', { noLocation: true }).definitions;
  const filter = added?.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION ? (added.fields ?? []) : [];
  return visit(published, {
    ObjectTypeDefinition: (type) =>
      type.name.value !== 'ProjectV2'
        ? undefined
        : {
            ...type,
            fields: (type.fields ?? []).map((field) =>
              field.name.value === 'items'
                ? { ...field, arguments: [...(field.arguments ?? []), ...filter] }
                : field,
            ),
          },
  });
}
