import * as z from 'zod';
import type { Problem } from './contract.ts';
import { nearestName } from './nearest-name.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;
type Path = readonly PropertyKey[];

/**
 * What a schema found wrong with data that a person wrote, as problems: each names the field, what it may be (read from
 * the schema itself) and what it is. An unknown key names the key that was probably meant.
 */
export function describeSchemaProblems(
  schema: z.ZodType,
  issues: readonly z.core.$ZodIssue[],
  data: unknown,
): readonly Problem[] {
  const root = z.toJSONSchema(schema);
  return issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => reportUnknownKey(root, issue.path, key))
      : [reportValue(schemaAt(root, issue.path), issue.path, valueAt(data, issue.path))],
  );
}

function reportUnknownKey(root: JsonSchema, path: Path, key: string): Problem {
  const where = formatPath([...path, key]);
  return { rule: 'unknown-key', path: where, message: `unknown key ${where}; ${hintAt(root, path, key)}` };
}

/** A key that is known at another level was put in the wrong place; else one at this level was misspelt. */
function hintAt(root: JsonSchema, path: Path, key: string): string {
  const elsewhere = listKeyPaths(root, []).filter((other) => other.at(-1) === key);
  if (elsewhere.length > 0) return `did you mean ${elsewhere.map(formatPath).join(' or ')}?`;
  const known = Object.keys(schemaAt(root, path).properties ?? {});
  const nearest = nearestName(key, known);
  return nearest === undefined ? `known keys here are ${known.join(', ')}` : `did you mean ${nearest}?`;
}

function reportValue(schema: JsonSchema, path: Path, value: unknown): Problem {
  const where = formatPath(path);
  const wanted = describeWanted(schema);
  return value === undefined
    ? { rule: 'required', path: where, message: `${where} is missing; it must be ${wanted}` }
    : { rule: 'value', path: where, message: `${where} must be ${wanted}; it is ${showValue(value)}` };
}

/** What a field may be, in words: `a whole number from 0 to 1000`, `one of write, anyone`. */
export function describeWanted(schema: JsonSchema): string {
  const choices =
    schema.anyOf ?? (Array.isArray(schema.type) ? schema.type.map((type) => ({ type })) : undefined);
  if (choices !== undefined) return choices.map((one) => describeWanted(one as JsonSchema)).join(', or ');
  if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`;
  switch (schema.type) {
    case 'integer':
      return `a whole number from ${schema.minimum} to ${schema.maximum}`;
    case 'number':
      return `a number from ${schema.minimum} to ${schema.maximum}`;
    case 'boolean':
      return 'true or false';
    case 'null':
      return 'null';
    case 'string':
      if (schema.format === 'uri') return 'an http or https address';
      return schema.minLength === undefined ? 'a text' : 'a text that is not blank';
    case 'array':
      return schema.minItems === undefined ? 'a list of texts' : 'a list of at least one text';
    default:
      return typeof schema.additionalProperties === 'object'
        ? `a map from names to ${describeWanted(schema.additionalProperties)}`
        : 'a map';
  }
}

function showValue(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'a map';
  const shown = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return shown.length > 60 ? `${shown.slice(0, 60)}…` : shown;
}

function schemaAt(root: JsonSchema, path: Path): JsonSchema {
  return path.reduce<JsonSchema>(childOf, root);
}

/** The schema of a list's items, where the list may be one of several choices, or of a key. */
function childOf(schema: JsonSchema, name: PropertyKey): JsonSchema {
  const choices = [schema, ...(schema.anyOf ?? [])] as readonly JsonSchema[];
  const child =
    typeof name === 'number'
      ? choices.map((choice) => choice.items).find((items) => items !== undefined)
      : (schema.properties?.[String(name)] ?? schema.additionalProperties);
  return child as JsonSchema;
}

function listKeyPaths(schema: JsonSchema, path: Path): readonly Path[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, property]) => [
    [...path, key],
    ...listKeyPaths(property as JsonSchema, [...path, key]),
  ]);
}

function valueAt(data: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, name) => (at as Readonly<Record<PropertyKey, unknown>>)[name], data);
}

/** `tracker.active_states[1]` */
function formatPath(path: Path): string {
  return path.reduce<string>((text, name) => {
    if (typeof name === 'number') return `${text}[${name}]`;
    return text === '' ? String(name) : `${text}.${String(name)}`;
  }, '');
}
