/** Events by time; of two at the same time the one that was planned first. */
export interface EventQueue {
  push(at: number, run: () => void): void;
  /** When the next event is due. */
  peek(): number | undefined;
  pop(): { readonly at: number; readonly run: () => void } | undefined;
}

interface Planned {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/** A binary heap. */
export function eventQueue(): EventQueue {
  const heap: Planned[] = [];
  let order = 0;

  const isBefore = (a: Planned, b: Planned) => a.at < b.at || (a.at === b.at && a.order < b.order);

  function rise(from: number): void {
    const item = heap[from]!;
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(item, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = item;
  }

  function sink(item: Planned): void {
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= heap.length) break;
      const right = left + 1;
      const least = right < heap.length && isBefore(heap[right]!, heap[left]!) ? right : left;
      if (!isBefore(heap[least]!, item)) break;
      heap[at] = heap[least]!;
      at = least;
    }
    heap[at] = item;
  }

  return {
    push(at, run) {
      order += 1;
      heap.push({ at, order, run });
      rise(heap.length - 1);
    },
    peek: () => heap[0]?.at,
    pop() {
      const first = heap[0];
      const last = heap.pop();
      if (first !== undefined && last !== undefined && heap.length > 0) sink(last);
      return first;
    },
  };
}
