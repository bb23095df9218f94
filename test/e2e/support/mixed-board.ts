import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Scene, SceneBoard } from './scene.ts';
import { readLines } from './watch-trace.ts';

/** How the agent of a card behaves; every one that works adds the turn's id to a file of its own in the repository. */
export type AgentKind = 'quick' | 'slow' | 'failing' | 'idle' | 'stubborn';

export interface MixedCard {
  readonly key: string;
  readonly kind: AgentKind;
}

/** A board of cards whose agents behave differently, and a record of which turns had an agent begin. */
export interface MixedBoard {
  readonly board: SceneBoard;
  readonly cards: readonly MixedCard[];
  /** The turns whose agent was started for this card, once for each start. */
  begunFor(key: string): readonly string[];
}

/** The kinds of the first ten cards, and again of the next ten. */
const mix: readonly AgentKind[] = [
  ...(['quick', 'slow', 'failing', 'idle', 'stubborn'] as const),
  ...(['quick', 'slow', 'slow', 'slow', 'stubborn'] as const),
];

const begin = `turn=$(basename "$(dirname "$(dirname "$EVENKEEL_PROMPT_FILE")")")
echo "$turn" >> "$SCENE/begun/$1"
add_line() { echo "$turn" >> "$1.txt"; }`;

const scripts: Readonly<Record<AgentKind, string>> = {
  quick: 'add_line "$1"',
  slow: 'sleep "$((2 + $$ % 4))"; add_line "$1"',
  // Every other run fails, so that each reopening of the card meets a failure first.
  failing: 'if [ "$(($(wc -l < "$SCENE/begun/$1") % 2))" = 1 ]; then exit 3; fi; add_line "$1"',
  idle: 'true',
  stubborn: `trap '' TERM; i=0; while [ "$i" -lt 20 ]; do sleep 0.1; i=$((i + 1)); done; add_line "$1"`,
};

export function layOutMixedBoard(scene: Scene, size: number): MixedBoard {
  mkdirSync(join(scene.dir, 'begun'));
  const board = scene.board('board', {
    agent: {
      max_concurrent_agents: 4,
      max_failures: 3,
      max_no_progress: 2,
      max_turns: 1000,
      max_retry_backoff_ms: 1000,
    },
  });
  const cards = Array.from({ length: size }, (_, index) => {
    const kind = mix[index % mix.length]!;
    return { key: `${kind}-${index + 1}`, kind };
  });
  for (const { key, kind } of cards) {
    scene.agent(key, `${begin}\n${scripts[kind]}`);
    board.add(key);
  }
  return { board, cards, begunFor: (key) => readLines(join(scene.dir, 'begun', key)) };
}
