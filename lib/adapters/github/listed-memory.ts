/** Keeps what was learnt of listed things, for as long as any of their lists shows them. */
export interface ListedMemory<Known> {
  get(id: string): Known | undefined;
  put(id: string, known: Known): void;
  /** This list shows these now; what no list shows is forgotten. */
  show(list: string, ids: readonly string[]): void;
}

export function listedMemory<Known>(): ListedMemory<Known> {
  const kept = new Map<string, Known>();
  const lists = new Map<string, ReadonlySet<string>>();
  return {
    get: (id) => kept.get(id),
    put: (id, known) => void kept.set(id, known),
    show(list, ids) {
      lists.set(list, new Set(ids));
      const shown = [...lists.values()];
      for (const id of kept.keys()) if (!shown.some((one) => one.has(id))) kept.delete(id);
    },
  };
}
