import { expect, test } from 'vitest';
import * as z from 'zod';
import { projectForms, workflowSchema } from '../../lib/core/workflow-schema.ts';

type Schema = z.core.JSONSchema.BaseSchema;

/** Every key with what it says of itself. */
function listKeys(schema: Schema, path = ''): readonly (readonly [path: string, says: string | undefined])[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    [`${path}${name}`, (field as Schema).description] as const,
    ...listKeys(field as Schema, `${path}${name}.`),
  ]);
}

test.each(listKeys(z.toJSONSchema(workflowSchema)))(
  'the key %s says in sentences what it means',
  (_, says) => {
    expect(says).toMatch(/^[A-Z].+\.$/);
  },
);

test('each kind of board says how it is named', () => {
  expect(Object.keys(projectForms)).toEqual(workflowSchema.shape.tracker.shape.kind.options);
});
