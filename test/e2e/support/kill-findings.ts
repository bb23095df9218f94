import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HistoryEntry } from '../../../lib/controller/operations.ts';
import type { IssueId } from '../../../lib/core/issue.ts';
import { branchName, wipBranchName } from '../../../lib/core/names.ts';
import type { Fact } from '../../../lib/core/trace.ts';
import type { TraceReport } from '../../../lib/core/trace-check.ts';
import { parseTraceLine } from '../../../lib/core/trace-line.ts';
import { runCli } from '../../support/run-cli.ts';
import type { KilledRun } from './kill-rounds.ts';
import type { AgentKind, MixedCard } from './mixed-board.ts';
import type { Scene } from './scene.ts';

export interface KillFindings {
  /** Everything that is not as promised; empty when all is well. */
  readonly problems: readonly string[];
  /** Whether the rounds met what they were for. */
  readonly met: {
    /** Kills at the moment that their plan waited for. */
    readonly hits: number;
    /** Kills with turns at work. */
    readonly withTurns: number;
    /** Turns that a later host went on with. */
    readonly adopted: number;
    readonly turns: number;
    readonly moves: number;
    /** How often a host was killed at each fact. */
    readonly facts: Readonly<Record<string, number>>;
  };
}

interface Evidence {
  readonly scene: Scene;
  readonly run: KilledRun;
  readonly history: readonly HistoryEntry[];
  readonly facts: readonly Fact[];
}

/** Holds what is left behind against what was promised: cards, comments, branches, history and trace. */
export async function examine(scene: Scene, run: KilledRun): Promise<KillFindings> {
  const { lastEnding } = run;
  if (lastEnding === undefined) {
    const status = await scene.cli('status', '--json');
    return { problems: [...run.problems, `the last host came to no end: ${status.stdout}`], met: nothingMet };
  }
  const told = await scene.cli('history', '--json');
  const history = JSON.parse(told.stdout) as readonly HistoryEntry[];
  const facts = readTrace(scene.dataDir).map(({ fact }) => fact);
  const evidence = { scene, run, history, facts };
  const ended =
    lastEnding.code === 0
      ? []
      : [`the last host ended with ${lastEnding.code}: ${lastEnding.stderr.slice(-500)}`];
  const problems = [
    ...run.problems,
    ...ended,
    ...(await judgeTrace(scene)),
    ...run.mixed.cards.flatMap((card) => judgeCard(evidence, card)),
    ...judgeHistory(evidence),
    ...judgeBranches(evidence),
    ...judgeFolders(evidence),
    ...scene.processes().map((pid) => `process ${pid} was left behind`),
  ];
  return { problems, met: measure(evidence) };
}

const nothingMet = { hits: 0, withTurns: 0, adopted: 0, turns: 0, moves: 0, facts: {} };

/** What the command that people have for it says of the trace that all hosts have written. */
async function judgeTrace({ dataDir }: Scene): Promise<readonly string[]> {
  const { stdout, stderr } = await runCli(['check-trace', 'trace.jsonl', '--json'], { cwd: dataDir });
  if (stdout === '') return [`the trace could not be checked: ${stderr}`];
  const { violations, live, openWrites } = JSON.parse(stdout) as TraceReport;
  return [
    ...violations.map(
      (one) => `trace: ${one.rule} ${one.issue} ${one.turnId} at ${one.time}: ${one.message}`,
    ),
    ...live.map(({ issue, turnId }) => `trace: ${turnId} of ${issue} still works at the end`),
    ...openWrites.map(({ issue, to }) => `trace: the write of ${issue} to ${to} was not seen through`),
  ];
}

function judgeCard({ scene, run, history }: Evidence, { key, kind }: MixedCard): readonly string[] {
  const { board, begunFor } = run.mixed;
  const moved = run.person.lastMoveOf(key);
  const wanted = moved === undefined || moved === 'Todo' ? 'In Review' : moved;
  const state = board.stateOf(key);
  const begun = begunFor(key);
  const delivered = linesOf(scene.repository.read(branchName(key as IssueId), `${key}.txt`));
  const problems = [
    ...(state === wanted ? [] : [`it stands in ${state} and not in ${wanted}`]),
    ...repeated(begun).map((turnId) => `the agent of ${turnId} was started more than once`),
    ...repeated(delivered).map((turnId) => `the work of ${turnId} was delivered more than once`),
    ...delivered.filter((turnId) => !begun.includes(turnId)).map((turnId) => `${turnId} was never started`),
    ...(kind !== 'idle' && wanted === 'In Review' && delivered.length === 0 ? ['no work was delivered'] : []),
    ...judgeComment(
      board.commentOf(key),
      history.filter((turn) => turn.key === key),
    ),
  ];
  return problems.map((problem) => `${key}: ${problem}`);
}

/** The comment tells of the last turn that concerns anybody, and what the history tells. */
function judgeComment(comment: string | undefined, turns: readonly HistoryEntry[]): readonly string[] {
  const last = turns.filter((turn) => turn.class !== 'cancelled' && turn.startedAt !== null).at(-1);
  if (last === undefined) return comment === undefined ? [] : ['there is a comment, and nothing to tell'];
  const attempt = /^\| Attempt \| (\d+) \|$/m.exec(comment ?? '')?.[1];
  const isHandedOff = comment?.includes('handed over to a person') ?? false;
  if (Number(attempt) === last.attempt && isHandedOff === (last.outcome === 'handed-off')) return [];
  return [`the comment tells of attempt ${attempt}, the history of ${last.attempt}, ${last.outcome}`];
}

/** Every turn that began has one entry, no number is used twice, and nobody is blamed for a kill. */
function judgeHistory({ run, history, facts }: Evidence): readonly string[] {
  const begun = new Set(
    facts.flatMap(({ fact, turnId }) => (fact === 'turn-started' && turnId ? [turnId] : [])),
  );
  const ended = history.map(({ turnId }) => turnId);
  const kindOf = new Map(run.mixed.cards.map(({ key, kind }) => [key, kind]));
  const blamed = history.filter(
    (turn) => !['infrastructure', 'cancelled', null, excuses[kindOf.get(turn.key)!]].includes(turn.class),
  );
  return [
    ...repeated(ended).map((turnId) => `history: ${turnId} stands there more than once`),
    ...repeated(history.map(({ key, attempt }) => `attempt ${attempt} of ${key}`)).map(
      (what) => `history: ${what} stands there more than once`,
    ),
    ...[...begun]
      .filter((turnId) => !ended.includes(turnId))
      .map((turnId) => `history: ${turnId} is missing`),
    ...blamed.map(
      (turn) => `history: ${turn.turnId} of ${turn.key} is blamed: ${turn.class}, ${turn.reason}`,
    ),
    ...facts
      .filter(({ fact, reason }) => fact === 'alarm' && reason === 'breaker-open')
      .map(({ turnId, key }) => {
        const reason = history.find((turn) => turn.turnId === turnId)?.reason;
        return `a kill slowed launches down: ${turnId} of ${key}: ${reason}`;
      }),
  ];
}

/** What the agents of a kind are to blame for, whatever happens to the hosts. */
const excuses: Readonly<Record<AgentKind, HistoryEntry['class'] | undefined>> = {
  quick: undefined,
  slow: undefined,
  failing: 'agent',
  idle: 'no-progress',
  stubborn: undefined,
};

/** What was handed off is on the issue's branch, and nobody pushed anything else. */
function judgeBranches({ scene, run, history }: Evidence): readonly string[] {
  const ids = run.mixed.cards.map(({ key }) => key as IssueId);
  const expected = ['main', ...ids.map(branchName), ...ids.map(wipBranchName)];
  const found = linesOf(scene.repository.git('for-each-ref', '--format=%(refname:short)', 'refs/heads'));
  const commits = new Map(found.map((name) => [name, linesOf(scene.repository.git('rev-list', name, '--'))]));
  return [
    // Work that an earlier turn kept stays beside that of a later one, under the number of the later turn.
    ...found
      .filter((name) => !expected.includes(name.replace(/^(evenkeel\/wip\/.+)\.\d+$/, '$1')))
      .map((name) => `branch ${name} is nobody's`),
    ...history
      .filter(({ outcome, pushed }) => outcome === 'handed-off' && pushed)
      .filter(({ branch, headSha }) => !commits.get(branch ?? '')?.includes(headSha ?? ''))
      .map(({ turnId, branch }) => `the work of ${turnId} is not on ${branch}`),
  ];
}

/** Nothing of ours stays beside the cards, no edit had to be rescued, and no host's things outlive it. */
function judgeFolders({ scene, run }: Evidence): readonly string[] {
  const { board, cards } = run.mixed;
  const expected = new Set(['board.yaml', ...cards.flatMap(({ key }) => [`${key}.md`, `${key}.status.md`])]);
  const besideCards = readdirSync(board.folder).filter((name) => !expected.has(name) && !isAside(name));
  return [...besideCards, ...findHostRemains(scene.dataDir)].map((name) => `${name} was left behind`);
}

/** What only a running host has in its data folder, and drafts of files. */
function findHostRemains(dataDir: string): readonly string[] {
  return readdirSync(dataDir).filter((name) => /^host\.json$|^socket$|\.new/.test(name));
}

/** What a killed write left is cleared away once it is old enough. */
function isAside(name: string): boolean {
  return /^\..+\.evenkeel-(?:lock|new|old)/.test(name);
}

function measure({ scene, run, history }: Evidence): KillFindings['met'] {
  const lines = readTrace(scene.dataDir);
  const goesOn = (turnId: string, fromByte: number) =>
    lines.some(
      ({ fact, at }) =>
        at >= fromByte && fact.turnId === turnId && ['heartbeat', 'stopped-seen'].includes(fact.fact),
    );
  const survivors = run.rounds.flatMap(({ survivors: turns, traceBytes }) =>
    turns.map((turnId) => ({ turnId, traceBytes })),
  );
  return {
    hits: run.rounds.filter(({ isHit }) => isHit).length,
    withTurns: run.rounds.filter(({ survivors: turns }) => turns.length > 0).length,
    adopted: new Set(
      survivors.filter(({ turnId, traceBytes }) => goesOn(turnId, traceBytes)).map(({ turnId }) => turnId),
    ).size,
    turns: history.filter(({ startedAt }) => startedAt !== null).length,
    moves: run.person.moves(),
    facts: count(run.rounds.flatMap(({ plan, isHit }) => (plan.kind === 'fact' && isHit ? [plan.fact] : []))),
  };
}

/** Every fact, and where its line begins in the file. */
function readTrace(dataDir: string): readonly { readonly fact: Fact; readonly at: number }[] {
  let at = 0;
  return readFileSync(join(dataDir, 'trace.jsonl'), 'utf8')
    .split('\n')
    .flatMap((line) => {
      const began = at;
      at += Buffer.byteLength(line) + 1;
      const parsed = parseTraceLine(line);
      return 'fact' in parsed ? [{ fact: parsed.fact, at: began }] : [];
    });
}

function count(words: readonly string[]): Readonly<Record<string, number>> {
  return Object.fromEntries(
    [...new Set(words)].map((word) => [word, words.filter((one) => one === word).length]),
  );
}

function repeated(items: readonly string[]): readonly string[] {
  return [...new Set(items.filter((item, index) => items.indexOf(item) !== index))];
}

function linesOf(text: string | undefined): readonly string[] {
  return (text ?? '').split('\n').filter((line) => line !== '');
}
