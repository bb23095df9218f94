/**
 * How a state is stored: as a tuple of small numbers, packed into 32-bit words. A search holds millions of states, and each
 * is compared by its words, so that what a codec does not store does not tell two states apart.
 */
export interface Codec<Value> {
  /** The bits of every number put, in order, at most. */
  readonly widths: readonly number[];
  put(value: Value, cursor: Cursor): void;
  get(cursor: Cursor): Value;
}
export type ValueOf<C> = C extends Codec<infer Value> ? Value : never;

/** Where the next number is put or read; a number never straddles two words. */
export interface Cursor {
  readonly words: Int32Array;
  word: number;
  bit: number;
}

export function below(limit: number): Codec<number> {
  const width = widthOf(limit);
  return {
    widths: [width],
    put(value, cursor) {
      if (!(value >= 0 && value < limit))
        throw new Error(`a state holds ${value}, its codec allows 0 to ${limit - 1}`);
      putBits(cursor, value, width);
    },
    get: (cursor) => getBits(cursor, width),
  };
}

export const flag: Codec<boolean> = {
  widths: [1],
  put: (value, cursor) => putBits(cursor, value ? 1 : 0, 1),
  get: (cursor) => getBits(cursor, 1) === 1,
};

export function oneOf<const Word extends string>(words: readonly Word[]): Codec<Word> {
  const index = new Map<string, number>(words.map((word, at) => [word, at]));
  const width = widthOf(words.length);
  return {
    widths: [width],
    put(value, cursor) {
      const at = index.get(value);
      if (at === undefined) throw new Error(`a state holds "${value}", which its codec does not know`);
      putBits(cursor, at, width);
    },
    get: (cursor) => words[getBits(cursor, width)]!,
  };
}

export function struct<Value extends object>(
  fields: {
    readonly [Name in keyof Value]: Codec<Value[Name]>;
  },
): Codec<{ readonly [Name in keyof Value]: Value[Name] }> {
  const names = Object.keys(fields) as (keyof Value)[];
  const codecs = names.map((name) => fields[name]) as readonly Codec<unknown>[];
  return {
    widths: codecs.flatMap(({ widths }) => widths),
    put(value, cursor) {
      for (let at = 0; at < names.length; at += 1) codecs[at]!.put(value[names[at]!], cursor);
    },
    get(cursor) {
      const value = {} as Value;
      for (let at = 0; at < names.length; at += 1)
        value[names[at]!] = codecs[at]!.get(cursor) as Value[keyof Value];
      return value;
    },
  };
}

/** Always so many. */
export function times<Value>(count: number, item: Codec<Value>): Codec<readonly Value[]> {
  return {
    widths: Array.from({ length: count }, () => item.widths).flat(),
    put(values, cursor) {
      for (const value of values) item.put(value, cursor);
    },
    get: (cursor) => getMany(item, count, cursor),
  };
}

/** None, or any number up to a limit. */
export function upTo<Value>(limit: number, item: Codec<Value>): Codec<readonly Value[]> {
  const count = below(limit + 1);
  return {
    widths: [...count.widths, ...times(limit, item).widths],
    put(values, cursor) {
      count.put(values.length, cursor);
      for (const value of values) item.put(value, cursor);
    },
    get: (cursor) => getMany(item, count.get(cursor), cursor),
  };
}

/** How many words a value takes at most. */
export function wordsOf({ widths }: Pick<Codec<unknown>, 'widths'>): number {
  const end = { word: 0, bit: 0 };
  for (const width of widths) {
    if (end.bit + width > 32) {
      end.word += 1;
      end.bit = 0;
    }
    end.bit += width;
  }
  return end.word + 1;
}

export function pack<Value>(codec: Codec<Value>, value: Value, words: Int32Array) {
  words.fill(0);
  codec.put(value, { words, word: 0, bit: 0 });
}

export function unpack<Value>(codec: Codec<Value>, words: Int32Array): Value {
  return codec.get({ words, word: 0, bit: 0 });
}

function getMany<Value>(item: Codec<Value>, count: number, cursor: Cursor): readonly Value[] {
  const values: Value[] = [];
  for (let at = 0; at < count; at += 1) values.push(item.get(cursor));
  return values;
}

function widthOf(limit: number): number {
  return Math.max(1, 32 - Math.clz32(limit - 1));
}

function putBits(cursor: Cursor, value: number, width: number) {
  makeRoom(cursor, width);
  cursor.words[cursor.word]! |= value << cursor.bit;
  cursor.bit += width;
}

function getBits(cursor: Cursor, width: number): number {
  makeRoom(cursor, width);
  const value = (cursor.words[cursor.word]! >>> cursor.bit) & ((1 << width) - 1);
  cursor.bit += width;
  return value;
}

function makeRoom(cursor: Cursor, width: number) {
  if (cursor.bit + width <= 32) return;
  cursor.word += 1;
  cursor.bit = 0;
}
