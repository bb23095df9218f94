import * as z from 'zod';

/**
 * What may lie in the table, checked at the door. Fields of a newer version are kept and do no harm, at any depth; a
 * field of this version with another form makes the item unreadable.
 */
export const instant = z.number();
export const text = z.string();

/** One schema for every field of the type: a field that is added to the type and not here does not compile. */
export function item<Item>(fields: { readonly [Field in keyof KnownFields<Item>]-?: z.ZodType }) {
  return z.looseObject(fields);
}

type KnownFields<Item> = { [Field in keyof Item as string extends Field ? never : Field]: Item[Field] };
