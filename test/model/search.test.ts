import { describe, expect, test } from 'vitest';
import {
  below,
  type Codec,
  flag,
  oneOf,
  pack,
  struct,
  times,
  unpack,
  upTo,
  wordsOf,
} from './search/codec.ts';
import { explore, type Model } from './search/explore.ts';

describe('a codec', () => {
  const codec = struct({
    count: below(1000),
    isOpen: flag,
    phase: oneOf(['idle', 'running', 'ending']),
    many: times(5, below(200)),
    sent: upTo(3, struct({ to: below(70), by: below(70) })),
  });
  const state = {
    count: 999,
    isOpen: true,
    phase: 'ending',
    many: [0, 199, 1, 7, 128],
    sent: [{ to: 69, by: 1 }],
  } as const;
  const packed = <Value>(one: Codec<Value>, value: Value) => {
    const words = new Int32Array(wordsOf(one));
    pack(one, value, words);
    return words;
  };

  test('gives back what was put', () => {
    expect(unpack(codec, packed(codec, state))).toEqual(state);
    const full = { ...state, sent: [state.sent[0], { to: 0, by: 69 }, { to: 2, by: 3 }] };
    expect(unpack(codec, packed(codec, full))).toEqual(full);
  });

  test('tells states apart that differ in one number', () => {
    expect(packed(codec, { ...state, sent: [] })).not.toEqual(packed(codec, state));
    expect(packed(codec, { ...state, count: 998 })).not.toEqual(packed(codec, state));
  });

  test('refuses what does not fit, so that no two states are taken for one', () => {
    expect(() => packed(codec, { ...state, count: 1000 })).toThrow('a state holds 1000');
    expect(() => packed(codec, { ...state, sent: Array(4).fill(state.sent[0]) })).toThrow('a state holds 4');
    expect(() => packed(codec, { ...state, phase: 'stopping' as 'idle' })).toThrow('"stopping"');
  });
});

/** Two counters up to a limit; which of them stands first makes no difference. */
function counters(limit: number, more: Partial<Model<readonly number[]>> = {}): Model<readonly number[]> {
  return {
    codec: times(2, below(1024)),
    start: [0, 0],
    steps(state, take) {
      state.forEach((value, at) => {
        if (value < limit) take(`counter ${at}`, `goes to ${value + 1}`, state.with(at, value + 1));
      });
    },
    show: (state) => state.join(' and '),
    ...more,
  };
}

describe('a search', () => {
  test('visits every state once', () => {
    const found = explore(counters(300));
    expect(found).toMatchObject({ states: 301 * 301, transitions: 2 * 300 * 301, complete: true });
    expect(found.broken.size).toBe(0);
  });

  test('counts states that behave alike as one', () => {
    const found = explore(counters(3, { canonical: (state) => [...state].sort() }));
    expect(found.states).toBe(10);
  });

  test('tells a shortest story of a broken invariant', () => {
    const found = explore(counters(9, { broken: ([a, b]) => (a! * b! === 6 ? 'SIX' : undefined) }));
    expect(found.broken.get('SIX')).toEqual({
      steps: [
        'counter 0 goes to 1',
        'counter 0 goes to 2',
        'counter 0 goes to 3',
        'counter 1 goes to 1',
        'counter 1 goes to 2',
      ],
      end: '3 and 2',
    });
  });

  test('tells the story in one set of names although states are brought to one form', () => {
    const found = explore(
      counters(9, {
        canonical: (state) => [...state].sort(),
        broken: ([a, b]) => (a! + b! === 3 && a !== b ? 'THREE' : undefined),
      }),
    );
    expect(found.broken.get('THREE')?.steps).toHaveLength(3);
  });

  test('sees a step that breaks a promise by itself', () => {
    const found = explore<number>({
      codec: below(4),
      start: 0,
      steps: (state, take) => take('it', 'falls', (state + 1) % 4, state === 2 ? 'FALL' : undefined),
      show: String,
    });
    expect(found.broken.get('FALL')?.steps).toHaveLength(3);
  });

  test('ends early when told so, and says that it is not complete', () => {
    const model = counters(9, { broken: ([a]) => (a === 1 ? 'ONE' : undefined) });
    expect(explore(model, { stopAt: 'ONE' })).toMatchObject({ complete: false });
    expect(explore(counters(300), { maxStates: 100 })).toMatchObject({ complete: false });
  });

  test('finds the states from which no clean one can be reached', () => {
    const found = explore(counters(2, { clean: ([a, b]) => a === 1 && b === 1 }));
    expect(found.stuck?.count).toBe(5);
    expect(found.stuck?.story.steps).toHaveLength(2);
    expect(explore(counters(2, { clean: ([a, b]) => a === 2 && b === 2 })).stuck).toBeUndefined();
  });

  test('sees ways back over long loops', () => {
    const found = explore<number>({
      codec: below(128),
      start: 0,
      steps: (state, take) => take('it', 'goes on', (state + 1) % 100),
      clean: (state) => state === 0,
      show: String,
    });
    expect(found).toMatchObject({ states: 100, stuck: undefined });
  });
});
