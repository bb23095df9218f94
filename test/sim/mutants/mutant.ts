/** A rule of the protocol taken out of the product's own sources, by replacing text. */
export interface Mutant {
  readonly name: string;
  /** What the rule prevents. */
  readonly breaks: string;
  readonly patches: readonly Patch[];
}

export interface Patch {
  /** From the repository's root. */
  readonly file: string;
  /** Must stand in the file exactly once. */
  readonly find: string;
  readonly replace: string;
}

export function mutant(name: string, breaks: string, ...patches: readonly Patch[]): Mutant {
  return { name, breaks, patches };
}

export const inCore = (file: string, find: string, replace: string): Patch => ({
  file: `lib/core/${file}.ts`,
  find,
  replace,
});

export const inController = (file: string, find: string, replace: string): Patch => ({
  file: `lib/controller/${file}.ts`,
  find,
  replace,
});

/** The sources with the mutant in them. A patch that no longer fits fails loudly: the mutant has to be written anew. */
export function applyPatches({ name, patches }: Mutant, file: string, text: string): string {
  return patches
    .filter((patch) => patch.file === file)
    .reduce((before, { find, replace }) => {
      const parts = before.split(find);
      if (parts.length !== 2)
        throw new Error(`mutant ${name}: found ${parts.length - 1} times in ${file}, must be once: ${find}`);
      return parts.join(replace);
    }, text);
}
