/** The steps from state to state, kept for the question from which states a clean one can be reached. */
export interface Edges {
  /** States are expanded in the order of their numbers; each one's steps follow one another. */
  begin(from: number): void;
  add(to: number): void;
  /** The states from which no state of `isGoal` can be reached. */
  cutOffFrom(
    size: number,
    isGoal: (id: number) => boolean,
  ): { readonly count: number; readonly first: number };
}

export function edgeList(): Edges {
  let targets = new Int32Array(1 << 18);
  let starts = new Int32Array(1 << 16);
  let count = 0;
  let current = -1;

  return {
    begin(from) {
      current = from;
      if (from + 1 >= starts.length) starts = doubled(starts);
      starts[from] = count;
      starts[from + 1] = count;
    },
    add(to) {
      if (to === current || (count > starts[current]! && targets[count - 1] === to)) return;
      if (count >= targets.length) targets = doubled(targets);
      targets[count] = to;
      count += 1;
      starts[current + 1] = count;
    },
    cutOffFrom(size, isGoal) {
      const reaches = new Uint8Array(size);
      for (let id = 0; id < size; id += 1) reaches[id] = isGoal(id) ? 1 : 0;
      // Most ways to a clean state lead on to newer states, so that a few sweeps from the newest one settle nearly all.
      for (let changed = true; changed; ) {
        changed = false;
        for (let id = size - 1; id >= 0; id -= 1) {
          for (let at = starts[id]!; reaches[id] === 0 && at < starts[id + 1]!; at += 1) {
            if (reaches[targets[at]!] === 0) continue;
            reaches[id] = 1;
            changed = true;
          }
        }
      }
      return { count: reaches.reduce((sum, one) => sum + 1 - one, 0), first: reaches.indexOf(0) };
    },
  };
}

function doubled(numbers: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const bigger = new Int32Array(numbers.length * 2);
  bigger.set(numbers);
  return bigger;
}
