/** Something that a person has to know of a translation. */
export interface Note {
  /** The key of the file that was translated, or a line of the prompt. */
  readonly key: string;
  readonly says: string;
}

/** The values of a file to be, by dotted path, and what is to be said of them. */
export class Draft {
  #notes: readonly Note[] = [];
  readonly #values = new Map<string, unknown>();

  get(path: string): unknown {
    return this.#values.get(path);
  }

  has(path: string): boolean {
    return this.#values.has(path);
  }

  set(path: string, value: unknown): void {
    this.#values.set(path, value);
  }

  delete(path: string): void {
    this.#values.delete(path);
  }

  note(key: string, says: string): void {
    this.#notes = [...this.#notes, { key, says }];
  }

  /** What was said of a key does not count any more. */
  forget(key: string): void {
    this.#notes = this.#notes.filter((note) => note.key !== key);
  }

  notes(): readonly Note[] {
    return this.#notes;
  }

  /** As nested maps, the keys in the order of their places. */
  nest(placeOf: (path: string) => number): Record<string, unknown> {
    const root: Record<string, unknown> = {};
    for (const [path, value] of [...this.#values].sort(([one], [other]) => placeOf(one) - placeOf(other))) {
      const keys = path.split('.');
      const last = keys.pop()!;
      const place = keys.reduce((at, key) => {
        at[key] ??= {};
        return at[key] as Record<string, unknown>;
      }, root);
      place[last] = value;
    }
    return root;
  }
}
