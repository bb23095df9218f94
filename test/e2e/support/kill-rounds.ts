import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../../support/seeded-random.ts';
import type { HostEnding } from './host-process.ts';
import { carryOutKill, type Kill, type KillPlan, planKills } from './kill-plan.ts';
import { layOutMixedBoard, type MixedBoard } from './mixed-board.ts';
import { type RestlessPerson, restlessPerson } from './restless-person.ts';
import type { Scene } from './scene.ts';
import { sizeOf, traceTail } from './trace-tail.ts';
import { findDoubleWork, readTurnProcesses, turnsAtWork } from './turn-processes.ts';

/** One round: a host was started, killed, and this is what was seen. */
export interface Round extends Kill {
  readonly number: number;
  /** How much of the trace had been written when the host was gone. */
  readonly traceBytes: number;
  /** Turns that were past the gate just after the host was gone. */
  readonly survivors: readonly string[];
}

export interface KilledRun {
  readonly mixed: MixedBoard;
  readonly rounds: readonly Round[];
  readonly person: Pick<RestlessPerson, 'moves' | 'lastMoveOf'>;
  /** How the last host ended, which was left alone until nothing was left to do. */
  readonly lastEnding: HostEnding | undefined;
  /** What was wrong while it went on. */
  readonly problems: readonly string[];
}

export interface KillOptions {
  readonly seed: number;
  readonly rounds: number;
  readonly cards: number;
}

/** How long the last host may take to bring everything to its end. */
const finishMs = 240_000;

/**
 * Kills one host after the other on a board on which a person moves cards all the time, then lets the last one finish. The seed fixes what is chosen; what that meets is the machine's.
 */
export async function runKillRounds(scene: Scene, { seed, rounds, cards }: KillOptions): Promise<KilledRun> {
  const random = seededRandom(seed);
  const mixed = layOutMixedBoard(scene, cards);
  const keys = mixed.cards.map(({ key }) => key);
  const watch = watchProcesses(scene.dataDir);
  const trace = join(scene.dataDir, 'trace.jsonl');
  const person = restlessPerson(mixed.board, keys, traceTail(trace), random.fork());
  const done: Round[] = [];
  for (const plan of planKills(rounds, random)) {
    const round = await playRound(scene, plan, done.length + 1);
    done.push(round);
    // What was just being done to the card is now done by nobody, and the next host finds it somewhere else.
    if (round.key !== undefined && random.chance(0.6)) person.move(round.key);
    await sleep(random.chance(0.5) ? 0 : random.between(0, 500));
  }
  const wrongCards = await person.leave();
  const last = scene.launch({ args: [...usualArgs, '--until-idle'] });
  const lastEnding = await Promise.race([last.ended, sleep(finishMs, undefined, { ref: false })]);
  const problems = [
    ...done.flatMap(judgeEnding),
    ...wrongCards,
    ...watch.end(),
    ...person.look().map((problem) => `at the end: ${problem}`),
  ];
  return { mixed, rounds: done, person, lastEnding, problems };
}

const usualArgs = ['--max-concurrent-agents', '4'];

async function playRound(scene: Scene, plan: KillPlan, number: number): Promise<Round> {
  const host = scene.launch({ args: usualArgs });
  const kill = await carryOutKill(plan, host, scene.dataDir);
  return {
    ...kill,
    number,
    traceBytes: sizeOf(join(scene.dataDir, 'trace.jsonl')),
    survivors: turnsAtWork(readTurnProcesses(scene.dataDir)),
  };
}

/** A host that was not killed must have been asked to end. */
function judgeEnding({ plan, ending, number }: Round): readonly string[] {
  const { code, signal, stderr } = ending;
  const isOrderly = plan.kind === 'ctrl-c' && (code === 0 || signal === 'SIGINT');
  if (signal === 'SIGKILL' || isOrderly) return [];
  return [`the host of round ${number} ended by itself with ${code ?? signal}: ${stderr.slice(-500)}`];
}

/** Looks at the process table all the time. */
function watchProcesses(dataDir: string): { end(): readonly string[] } {
  const problems = new Set<string>();
  const timer = setInterval(() => {
    for (const problem of findDoubleWork(readTurnProcesses(dataDir))) problems.add(problem);
  }, 200);
  return {
    end() {
      clearInterval(timer);
      return [...problems];
    },
  };
}

/** `EVENKEEL_SEED` and `EVENKEEL_ROUNDS` go before what is given here; the seed is printed so that it can be had again. */
export function chooseKills(usual: Omit<KillOptions, 'seed'>): KillOptions {
  const { EVENKEEL_SEED, EVENKEEL_ROUNDS } = process.env;
  const seed = Number(EVENKEEL_SEED ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`EVENKEEL_SEED=${seed}`);
  return { ...usual, seed, rounds: Number(EVENKEEL_ROUNDS ?? usual.rounds) };
}
