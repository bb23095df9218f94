import type { TurnResult } from '../core/turn-protocol.ts';
import { type AgentAdapter, chooseAgent } from './agent.ts';
import { collectWork, type Work } from './collect-work.ts';
import { deliverWork } from './deliver-work.ts';
import { type Failure, isFailure, unforeseenFailure } from './failure.ts';
import { fetchRepository, type Origin } from './fetch-repository.ts';
import { keepWork } from './keep-work.ts';
import { reap } from './reap.ts';
import { rescueWork } from './rescue-work.ts';
import { runAgent } from './run-agent.ts';
import { runHook } from './run-hook.ts';
import { screenWork } from './screen-work.ts';
import { readSelfReport } from './self-report.ts';
import type { Turn } from './turn.ts';
import { type Ending, type Evidence, writeResult } from './turn-evidence.ts';
import { notRun, verifyWork } from './verify-work.ts';
import { layOutWorkspace } from './workspace.ts';

/**
 * One whole turn: repository, workspace, hooks, agent, collection, screening, gates, delivery. However it ends, no process
 * of it is left, and commits that did not reach the issue's branch are kept. Never throws.
 */
export async function workOnIssue(turn: Turn): Promise<TurnResult> {
  const evidence: Evidence = { verify: turn.instructions.verify.map(notRun) };
  const ending = await contain(turn, () => takeSteps(turn, evidence));
  turn.doing.step = 'stopping';
  await contain(turn, () => reapAll(turn));
  const kept = await contain(turn, () => keepWhatIsLeft(turn, evidence));
  if (kept?.kind === 'failed') turn.log('work could not be kept', { detail: kept.failure.detail });
  await contain(turn, () => reapAll(turn));
  return writeResult(turn, ending ?? { kind: 'completed' }, evidence);
}

/** What nobody foresaw becomes a failure of the turn, or is part of being stopped. */
async function contain(turn: Turn, step: () => Promise<Ending | undefined>): Promise<Ending | undefined> {
  try {
    return await step();
  } catch (error) {
    turn.log('a step failed', { problem: (error as Error).message });
    return turn.stop.reason() === undefined ? failed(unforeseenFailure(error)) : stopped;
  }
}

/** Undefined is the good end. */
async function takeSteps(turn: Turn, evidence: Evidence): Promise<Ending | undefined> {
  const adapter = chooseAgent(turn.instructions.agent);
  if (isFailure(adapter)) return failed(adapter);

  const fetched = await fetchRepository(turn);
  if (fetched.kind !== 'fetched') return fetched;
  const { origin } = fetched;
  evidence.origin = origin;
  evidence.notes = await rescueWork(turn, origin);
  const workspace = await layOutWorkspace(turn, origin);
  if (turn.stop.reason() !== undefined) return stopped;
  if (isFailure(workspace)) return failed(workspace);

  turn.doing.step = 'hooks';
  const unfit = (await runHook(turn, 'after_create')) ?? (await runHook(turn, 'before_run'));
  if (turn.stop.reason() !== undefined) return stopped;
  if (unfit !== undefined) return failed(unfit);

  evidence.isCollected = false;
  const cutShort = await letAgentWork(turn, adapter, evidence);
  // The work counts whatever became of the agent.
  const { work, failure, notes } = await collectWork(turn, origin, workspace);
  evidence.work = work;
  evidence.isCollected = failure === undefined && notes.length === 0;
  evidence.notes = [...(evidence.notes ?? []), ...notes];
  turn.log('work collected', { commits: work?.commits, files: work?.files, problem: failure?.detail });
  const ending = chooseEnding(cutShort, failure);
  return ending ?? (work && finish(turn, origin, work, evidence));
}

/** An agent may well have failed of the disk that its work did not fit on. */
function chooseEnding(cutShort: Ending | undefined, uncollected: Failure | undefined): Ending | undefined {
  if (uncollected === undefined) return cutShort;
  const isCause = cutShort?.kind === 'failed' && uncollected.class === 'infrastructure';
  return cutShort === undefined || isCause ? failed(uncollected) : cutShort;
}

async function letAgentWork(
  turn: Turn,
  adapter: AgentAdapter,
  evidence: Evidence,
): Promise<Ending | undefined> {
  turn.doing.step = 'agent';
  turn.log('agent begins', { kind: adapter.kind });
  const { verdict, exitCode } = await runAgent(turn, adapter);
  turn.log('agent ended', { exitCode, failure: verdict.failure?.kind });
  evidence.exitCode = exitCode;
  const note = await runHook(turn, 'after_run');
  if (note !== undefined) turn.log(note.detail);
  await reapAll(turn);
  const report = await readSelfReport(turn.folder.selfReport, turn.user?.uid);
  if (report.problem !== undefined) turn.log('report of the agent not taken', { problem: report.problem });
  evidence.question = report.question;
  // What was spent was spent, however the agent ended.
  evidence.usage = verdict.usage ?? report.usage;
  if (turn.stop.reason() !== undefined) return stopped;
  return verdict.failure === undefined ? undefined : failed(verdict.failure);
}

async function finish(
  turn: Turn,
  origin: Origin,
  work: Work,
  evidence: Evidence,
): Promise<Ending | undefined> {
  const { question } = evidence;
  const asked: Ending | undefined = question === undefined ? undefined : { kind: 'question', question };
  if (work.commits === 0) return asked;
  const refused = await screenWork(turn, work, origin);
  evidence.isClean = refused === undefined;
  if (refused !== undefined) return failed(refused);

  turn.doing.step = 'verify';
  const { gates, failure, feedback } = await verifyWork(turn, work);
  evidence.verify = gates;
  if (turn.stop.reason() !== undefined) return stopped;
  evidence.feedback = feedback;
  // Half-done work may fail its gates: then the question counts, and the work is kept aside.
  if (failure !== undefined) return asked ?? failed(failure);

  turn.doing.step = 'deliver';
  const delivered = await deliverWork(turn, work, origin);
  evidence.pushed = delivered.kind === 'pushed';
  turn.log('delivery ended', { branch: turn.instructions.branch, pushed: evidence.pushed });
  return delivered.kind === 'pushed' ? asked : delivered;
}

async function keepWhatIsLeft(turn: Turn, evidence: Evidence): Promise<undefined> {
  const { origin, work, pushed } = evidence;
  if (origin === undefined || work === undefined || work.commits === 0 || pushed) return;
  const isClean = evidence.isClean ?? (await passesScreening(turn, work, origin));
  evidence.kept = await keepWork(turn, work, isClean);
}

async function passesScreening(turn: Turn, work: Work, origin: Origin): Promise<boolean> {
  return screenWork(turn, work, origin).then(
    (refused) => refused === undefined,
    () => false,
  );
}

async function reapAll(turn: Turn): Promise<undefined> {
  const left = await reap(turn.family, { graceMs: turn.timing.killGraceMs, hurry: turn.stop.hurry });
  if (left > 0) turn.log('processes of the turn could not be ended', { left });
}

const stopped: Ending = { kind: 'stopped' };

function failed(what: Failure): Ending {
  return { kind: 'failed', failure: what };
}
