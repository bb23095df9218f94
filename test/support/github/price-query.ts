import {
  type DocumentNode,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';

export interface Price {
  readonly points: number;
  readonly nodes: number;
}

/**
 * What a query costs by the vendor's published formula: every connection counts the requests that would fill it, which is
 * the product of the page sizes around it; a hundred of them are a point, and a query costs one at least.
 */
export function priceQuery(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Readonly<Record<string, unknown>>,
): Price {
  const fragments = new Map(
    document.definitions.flatMap((one) =>
      one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one] as const] : [],
    ),
  );
  let requests = 0;
  let nodes = 0;
  const walk = (set: SelectionSetNode | undefined, type: GraphQLCompositeType, times: number): void => {
    for (const one of set?.selections ?? []) {
      if (one.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = fragments.get(one.name.value)!;
        walk(fragment.selectionSet, compositeOf(schema, fragment.typeCondition.name.value, type), times);
      } else if (one.kind === Kind.INLINE_FRAGMENT) {
        walk(one.selectionSet, compositeOf(schema, one.typeCondition?.name.value, type), times);
      } else {
        const field =
          isObjectType(type) || isInterfaceType(type) ? type.getFields()[one.name.value] : undefined;
        const inner = field && getNamedType(field.type);
        if (inner === undefined || !isCompositeType(inner)) continue;
        const size = pageSize(one, variables);
        if (size !== undefined) {
          requests += times;
          nodes += times * size;
        }
        walk(one.selectionSet, inner, times * (size ?? 1));
      }
    }
  };
  for (const one of document.definitions) {
    if (one.kind !== Kind.OPERATION_DEFINITION) continue;
    const root = one.operation === 'mutation' ? schema.getMutationType() : schema.getQueryType();
    walk(one.selectionSet, root!, 1);
  }
  return { points: Math.max(1, Math.round(requests / 100)), nodes };
}

function compositeOf(
  schema: GraphQLSchema,
  name: string | undefined,
  otherwise: GraphQLCompositeType,
): GraphQLCompositeType {
  const type = name === undefined ? undefined : schema.getType(name);
  return isCompositeType(type) ? type : otherwise;
}

function pageSize(field: FieldNode, variables: Readonly<Record<string, unknown>>): number | undefined {
  for (const { name, value } of field.arguments ?? []) {
    if (name.value !== 'first' && name.value !== 'last') continue;
    if (value.kind === Kind.INT) return Number(value.value);
    if (value.kind === Kind.VARIABLE) return Number(variables[value.name.value]);
  }
  return undefined;
}
