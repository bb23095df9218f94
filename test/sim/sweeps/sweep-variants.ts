import type { Dice } from '../chance.ts';
import type { Violation } from '../checks/truth.ts';
import type { Fault, Faults, Occasion } from '../fate.ts';
import { flavours } from '../flavours.ts';
import { beginning, type SimCase } from '../sim-case.ts';
import type { SweepStory } from './sweep-stories.ts';

/** A story with one trouble more, or two. */
export interface Variant {
  readonly name: string;
  readonly added: Faults;
  readonly story: SimCase;
}

interface Added {
  readonly key: string;
  readonly fault: Fault;
}

/**
 * One trouble at every place: at every call the caller dies before it, on sending it and with the answer on its way, and the
 * answer is lost; every read is answered as it was the last time; every message is lost, doubled and delivered last; and
 * whatever else can go wrong there, at its mildest and at its worst.
 */
export function singleVariants(told: SweepStory, occasions: readonly Occasion[]): readonly Variant[] {
  return occasions.flatMap((occasion) => troublesAt(told, occasion)).map((added) => variantOf(told, [added]));
}

/** How many calls apart two troubles may be. */
const windowCalls = 12;

/** Two troubles at calls that are at most a window apart. */
export function pairVariants(told: SweepStory, occasions: readonly Occasion[]): readonly Variant[] {
  const calls = occasions.filter(isCall);
  return calls.flatMap((first, at) =>
    calls.slice(at + 1, at + 1 + windowCalls).flatMap((second) =>
      pairKinds.flatMap((one) =>
        pairKinds.map((other) =>
          variantOf(told, [
            { key: first.key, fault: { kind: one } },
            { key: second.key, fault: { kind: other } },
          ]),
        ),
      ),
    ),
  );
}

const pairKinds = ['kill-before', 'kill-after', 'lost'] as const;
const callKinds = ['kill-before', 'kill-sent', 'kill-after', 'lost'] as const;

function isCall({ risks }: Occasion): boolean {
  return risks.some(({ kind }) => kind === 'kill-before');
}

function troublesAt({ story }: SweepStory, occasion: Occasion): readonly Added[] {
  const { key, at, risks } = occasion;
  if (key in story.faults) return [];
  const faults: Fault[] = isCall(occasion) ? callKinds.map((kind) => ({ kind })) : [];
  const covered = new Set(faults.map(({ kind }) => kind));
  if (isReadOfBoard(key) && flavours[story.flavour].place === 'functions') faults.push({ kind: 'previous' });
  for (const { kind, minMs, maxMs } of risks) {
    if (covered.has(kind)) continue;
    if (maxMs === undefined) faults.push({ kind });
    else faults.push({ kind, ms: minMs ?? 0 }, { kind, ms: maxMs });
  }
  const isMessage = /^(hint|event) /.test(key);
  if (isMessage) faults.push({ kind: 'late', ms: Math.max(1_000, beginning + story.calmAtMs - at) });
  return faults.map((fault) => ({ key, fault }));
}

function isReadOfBoard(key: string): boolean {
  return / (tracker\.(states|list|count|read|read-many|moves)|runner\.describe)\//.test(key);
}

function variantOf({ name, story }: SweepStory, troubles: readonly Added[]): Variant {
  const added = Object.fromEntries(troubles.map(({ key, fault }) => [key, fault]));
  return { name, added, story: { ...story, faults: { ...story.faults, ...added } } };
}

/** So many of the variants, each at most once, as the dice have it; in the order in which they stand. */
export function sampleOf<Item>(items: readonly Item[], count: number, dice: Dice): readonly Item[] {
  if (count >= items.length) return items;
  const left = [...items.keys()];
  const taken = Array.from({ length: count }, (_, at) => {
    const other = dice.between(at, left.length - 1);
    const chosen = left[other]!;
    left[other] = left[at]!;
    return chosen;
  });
  return taken.sort((a, b) => a - b).map((at) => items[at]!);
}

/** What a variant broke, and how to see it again. */
export function describeFailure({ name, added }: Variant, { rule, message }: Violation): string {
  const faults = faultsAsText(added).map((fault) => ` --fault '${fault}'`);
  return `${name}: breaks ${rule}: ${message}\n  replay: npm run sweep -- --story '${name}'${faults.join('')}`;
}

/** `KEY=KIND`, or `KEY=KIND:MS`. */
function faultsAsText(faults: Faults): readonly string[] {
  return Object.entries(faults).map(
    ([key, { kind, ms }]) => `${key}=${kind}${ms === undefined ? '' : `:${ms}`}`,
  );
}

export function faultsFromText(lines: readonly string[]): Faults {
  return Object.fromEntries(
    lines.map((line) => {
      const [, key, kind, ms] = /^(.*)=([^=:]+)(?::(\d+))?$/.exec(line) ?? [];
      if (key === undefined || kind === undefined) throw new Error(`not KEY=KIND or KEY=KIND:MS: ${line}`);
      return [key, ms === undefined ? { kind } : { kind, ms: Number(ms) }];
    }),
  );
}
