import type { Happening, Policy, SimCase } from './sim-case.ts';

/** Runs cases and says of each which promise it broke, if any; at what time in milliseconds from its beginning. */
export type TryCases = (
  cases: readonly SimCase[],
) => Promise<readonly ({ readonly rule: string; readonly at: number } | undefined)[]>;

/**
 * Makes a failing case short: fewer faults and hands, fewer cards, a shorter horizon, a plainer policy. Whatever is left
 * out, the same promise must still be broken.
 */
export async function shrinkCase(failing: SimCase, rule: string, tryCases: TryCases): Promise<SimCase> {
  const fails = async (candidates: readonly SimCase[]) => {
    const found = await tryCases(candidates);
    return candidates.find((_, at) => found[at]?.rule === rule);
  };
  let best: SimCase = { ...failing, rates: undefined };
  if ((await fails([best])) === undefined)
    throw new Error(`the listed case of seed ${failing.seed} does not break ${rule} any more`);
  for (let size = sizeOf(best) + 1; sizeOf(best) < size; ) {
    size = sizeOf(best);
    best = await shortenHorizon(best, rule, tryCases);
    best = await dropDecisions(best, fails);
    best = await dropCards(best, fails);
    best = await plainPolicy(best, fails);
  }
  return best;
}

type Fails = (candidates: readonly SimCase[]) => Promise<SimCase | undefined>;

/** A fault by its occasion, or something that happens. */
type Decision = { readonly fault: string } | { readonly happening: Happening };

function decisionsOf({ faults, happenings }: SimCase): readonly Decision[] {
  return [
    ...happenings.map((happening) => ({ happening })),
    ...Object.keys(faults).map((fault) => ({ fault })),
  ];
}

function withDecisions(story: SimCase, decisions: readonly Decision[]): SimCase {
  const faults = decisions.flatMap((one) =>
    'fault' in one ? [[one.fault, story.faults[one.fault]!] as const] : [],
  );
  return {
    ...story,
    happenings: decisions.flatMap((one) => ('happening' in one ? [one.happening] : [])),
    faults: Object.fromEntries(faults),
  };
}

/** Delta debugging: leaves out ever smaller parts of the list for as long as something can be left out. */
async function dropDecisions(story: SimCase, fails: Fails): Promise<SimCase> {
  let kept = decisionsOf(story);
  let parts = 2;
  while (kept.length > 0) {
    const size = Math.ceil(kept.length / parts);
    const starts = Array.from({ length: Math.ceil(kept.length / size) }, (_, at) => at * size);
    const candidates = starts.map((from) =>
      withDecisions(story, [...kept.slice(0, from), ...kept.slice(from + size)]),
    );
    const smaller = await fails(candidates);
    if (smaller !== undefined) {
      kept = decisionsOf(smaller);
      parts = Math.max(2, Math.min(parts - 1, kept.length));
    } else if (size === 1) break;
    else parts = Math.min(kept.length, parts * 2);
  }
  return withDecisions(story, kept);
}

async function dropCards(story: SimCase, fails: Fails): Promise<SimCase> {
  let best = story;
  for (const { id } of story.cards) {
    const cards = best.cards
      .filter((card) => card.id !== id)
      .map((card) => (card.blockedBy === id ? { ...card, blockedBy: undefined } : card));
    if (cards.length === 0) continue;
    const happenings = best.happenings.filter(({ card }) => card !== id);
    best = (await fails([{ ...best, cards, happenings }])) ?? best;
  }
  if (best.boards > 1 && best.cards.every(({ board }) => board === 0))
    best = (await fails([{ ...best, boards: 1 }])) ?? best;
  const plainer = best.cards.map((card) => ({ ...card, priority: undefined, blockedBy: undefined }));
  return (await fails([{ ...best, cards: plainer }])) ?? best;
}

/** What was broken while things went wrong needs no longer time than until then. */
async function shortenHorizon(story: SimCase, rule: string, tryCases: TryCases): Promise<SimCase> {
  const [found] = await tryCases([story]);
  const wanted = [
    (found?.at ?? story.calmAtMs) + 60_000,
    Math.max(60_000, ...story.happenings.map(({ at }) => at + 60_000)),
    60_000,
  ];
  const candidates = wanted
    .map((ms) => Math.ceil(ms / 60_000) * 60_000)
    .filter((calmAtMs) => calmAtMs < story.calmAtMs)
    .sort((a, b) => a - b)
    .map((calmAtMs) => ({ ...story, calmAtMs }));
  const results = await tryCases(candidates);
  return candidates.find((_, at) => results[at]?.rule === rule) ?? story;
}

const plain: Policy = {
  deploymentCap: 10,
  boardCap: 4,
  writesProgress: true,
  handsOff: true,
  needsLabel: false,
  maxFailures: 3,
  maxTurns: 20,
  maxNoProgress: 2,
  turnTimeoutMs: 1_200_000,
};

async function plainPolicy(story: SimCase, fails: Fails): Promise<SimCase> {
  const all = await fails([{ ...story, policy: plain }]);
  if (all !== undefined) return all;
  let best = story;
  for (const key of Object.keys(story.policy) as (keyof Policy)[]) {
    if (best.policy[key] === plain[key]) continue;
    best = (await fails([{ ...best, policy: { ...best.policy, [key]: plain[key] } }])) ?? best;
  }
  return best;
}

function sizeOf(story: SimCase): number {
  const special = Object.entries(story.policy).filter(([key, value]) => plain[key as keyof Policy] !== value);
  return decisionsOf(story).length * 10 + story.cards.length * 10 + special.length + story.calmAtMs / 6e6;
}
