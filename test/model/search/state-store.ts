/** Every state found so far, numbered in the order in which they were found. */
export interface StateStore {
  readonly size: number;
  /** The number of these words' state; a state not seen before takes the next number. */
  add(words: Int32Array): number;
  read(id: number, into: Int32Array): void;
}

/** An open hash table of numbers over chunks of packed states: a state costs its words and about twelve bytes. */
export function stateStore(wordsPerState: number): StateStore {
  const chunks: Int32Array[] = [];
  let table = new Int32Array(1 << 16);
  let size = 0;

  function isAt(id: number, words: Int32Array): boolean {
    const chunk = chunks[id >>> chunkBits]!;
    const start = (id & chunkMask) * wordsPerState;
    for (let at = 0; at < wordsPerState; at += 1) if (chunk[start + at] !== words[at]) return false;
    return true;
  }

  function grow() {
    const bigger = new Int32Array(table.length * 2);
    const words = new Int32Array(wordsPerState);
    for (let id = 0; id < size; id += 1) {
      read(id, words);
      let slot = hashOf(words) & (bigger.length - 1);
      while (bigger[slot] !== 0) slot = (slot + 1) & (bigger.length - 1);
      bigger[slot] = id + 1;
    }
    table = bigger;
  }

  function read(id: number, into: Int32Array) {
    const chunk = chunks[id >>> chunkBits]!;
    const start = (id & chunkMask) * wordsPerState;
    for (let at = 0; at < wordsPerState; at += 1) into[at] = chunk[start + at]!;
  }

  function append(words: Int32Array): number {
    if ((size & chunkMask) === 0) chunks.push(new Int32Array(wordsPerState << chunkBits));
    chunks[size >>> chunkBits]!.set(words, (size & chunkMask) * wordsPerState);
    size += 1;
    return size - 1;
  }

  return {
    get size() {
      return size;
    },
    read,
    add(words) {
      if (size * 2 >= table.length) grow();
      let slot = hashOf(words) & (table.length - 1);
      for (; table[slot] !== 0; slot = (slot + 1) & (table.length - 1)) {
        const id = table[slot]! - 1;
        if (isAt(id, words)) return id;
      }
      const id = append(words);
      table[slot] = id + 1;
      return id;
    },
  };
}

const chunkBits = 16;
const chunkMask = (1 << chunkBits) - 1;

function hashOf(words: Int32Array): number {
  let hash = 0x9747b28c;
  for (let at = 0; at < words.length; at += 1) {
    hash = Math.imul(hash ^ words[at]!, 0x5bd1e995);
    hash ^= hash >>> 15;
  }
  hash = Math.imul(hash, 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}
