import { type Codec, pack, unpack, wordsOf } from './codec.ts';
import { edgeList } from './edges.ts';
import { stateStore } from './state-store.ts';

/** A small world: where it starts, and every atomic step that may be next. */
export interface Model<State> {
  readonly codec: Codec<State>;
  readonly start: State;
  steps(state: State, take: Take<State>): void;
  /** The one form of states that behave alike: epochs renamed to ranks, like things in one order. */
  canonical?(state: State): State;
  /** The invariant that the state breaks, if any. */
  broken?(state: State): string | undefined;
  /** From every state that can be reached, a clean one must be reachable. */
  clean?(state: State): boolean;
  /** The state in words, for a counterexample. */
  show(state: State): string;
}

/** One possible step: who does what, where it leads, and the invariant that this very step breaks. */
export type Take<State> = (who: string, deed: string, next: State, broken?: string) => void;

export interface Limits {
  /** Ends the search at the first sight of this violation, or of any. */
  readonly stopAt?: string | 'any' | undefined;
  readonly maxStates?: number | undefined;
  readonly onProgress?: ((states: number, transitions: number) => void) | undefined;
}

/** A shortest way to something, step by step, and the state it ends in. */
export interface Story {
  readonly steps: readonly string[];
  readonly end: string;
}

export interface Findings {
  readonly states: number;
  readonly transitions: number;
  readonly seconds: number;
  /** False when the search ended before every state was expanded. */
  readonly complete: boolean;
  /** What was broken, each with a shortest story. */
  readonly broken: ReadonlyMap<string, Story>;
  readonly stuck: { readonly count: number; readonly story: Story } | undefined;
}

/**
 * Searches all states breadth first, so that the first story found for a violation is a shortest one. Deterministic: the
 * same model gives the same numbers and the same stories.
 */
export function explore<State>(model: Model<State>, limits: Limits = {}): Findings {
  const began = performance.now();
  const words = new Int32Array(wordsOf(model.codec));
  const store = stateStore(words.length);
  const edges = model.clean === undefined ? undefined : edgeList();
  const broken = new Map<string, { readonly from: number; readonly to: number }>();
  let parents = new Int32Array(1 << 16);
  let transitions = 0;
  let current = -1;

  function add(next: State): number {
    const state = model.canonical === undefined ? next : model.canonical(next);
    pack(model.codec, state, words);
    const before = store.size;
    const id = store.add(words);
    if (store.size === before) return id;
    if (id >= parents.length) parents = doubled(parents);
    parents[id] = current;
    const what = model.broken?.(state);
    if (what !== undefined && !broken.has(what)) broken.set(what, { from: current, to: id });
    return id;
  }

  function take(_who: string, _deed: string, next: State, what?: string) {
    transitions += 1;
    const id = add(next);
    edges?.add(id);
    if (what !== undefined && !broken.has(what)) broken.set(what, { from: current, to: id });
  }

  function stateOf(id: number): State {
    store.read(id, words);
    return unpack(model.codec, words);
  }

  add(model.start);
  const isFound = () => (limits.stopAt === 'any' ? broken.size > 0 : broken.has(limits.stopAt ?? ''));
  const isOver = () => isFound() || store.size > (limits.maxStates ?? 2 ** 31);
  for (current = 0; current < store.size && !isOver(); current += 1) {
    edges?.begin(current);
    model.steps(stateOf(current), take);
    if (current % progressEvery === 0) limits.onProgress?.(store.size, transitions);
  }
  const complete = current >= store.size;

  const tell = (id: number, last?: number) =>
    tellStory(model, { parents, stateOf, size: store.size }, id, last);
  const cutOff =
    complete && model.clean !== undefined
      ? edges?.cutOffFrom(store.size, (id) => model.clean!(stateOf(id)))
      : undefined;
  return {
    states: store.size,
    transitions,
    complete,
    broken: new Map([...broken].map(([what, { from, to }]) => [what, tell(from, to)])),
    stuck:
      cutOff === undefined || cutOff.count === 0
        ? undefined
        : { count: cutOff.count, story: tell(cutOff.first) },
    seconds: (performance.now() - began) / 1000,
  };
}

const progressEvery = 1 << 14;

interface Search<State> {
  readonly parents: Int32Array;
  readonly size: number;
  stateOf(id: number): State;
}

/**
 * The steps from the start to a state, and one more when `last` is given. They are taken again without the canonical form,
 * so that whoever acts keeps one name through the whole story.
 */
function tellStory<State>(model: Model<State>, search: Search<State>, id: number, last?: number): Story {
  const path = last === undefined ? [id] : [last, id];
  while (path.at(-1)! > 0) path.push(search.parents[path.at(-1)!]!);
  const steps: string[] = [];
  let state = model.start;
  for (const to of path.reverse().slice(1)) {
    const step = findStep(model, state, search.stateOf(to));
    steps.push(step.name);
    state = step.next;
  }
  return { steps, end: model.show(state) };
}

function findStep<State>(model: Model<State>, from: State, to: State) {
  const wanted = new Int32Array(wordsOf(model.codec));
  const words = new Int32Array(wanted.length);
  pack(model.codec, to, wanted);
  let found: { readonly name: string; readonly next: State } | undefined;
  model.steps(from, (who, deed, next) => {
    if (found !== undefined) return;
    pack(model.codec, model.canonical === undefined ? next : model.canonical(next), words);
    if (words.every((word, at) => word === wanted[at])) found = { name: `${who} ${deed}`, next };
  });
  if (found === undefined)
    throw new Error('a step of the story was not found again: the model is not deterministic');
  return found;
}

function doubled(numbers: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const bigger = new Int32Array(numbers.length * 2);
  bigger.set(numbers);
  return bigger;
}
