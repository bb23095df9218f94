import type { Arn, TurnId } from '../core/issue.ts';
import { type Lease, unclaimedLease } from '../core/lease.ts';
import type { LeaseWrite } from '../core/lease-write.ts';
import { attemptOf, branchName, wipBranchName } from '../core/names.ts';
import { renderPrompt } from '../core/prompt.ts';
import type {
  HeartbeatAnswer,
  HeartbeatRequest,
  Instructions,
  ResultRequest,
  StartAnswer,
  StartRequest,
  TurnResult,
} from '../core/turn-protocol.ts';
import { limits } from '../core/turn-protocol.ts';
import { gate, heartbeat, reportResult } from '../core/turn-writes.ts';
import { unwantedBecause } from '../core/wanted.ts';
import { lastGoodContract } from './apply.ts';
import { carryOut } from './carry-out.ts';
import { type BoardInvocation, beginInvocation, tell } from './invocation.ts';
import type { Board, Ports, TurnRecord } from './ports.ts';
import { findTurn, isOpen, makeBoot, refuse, type Served, stop, waitForLedger } from './turn-caller.ts';
import { readIssue } from './write-back.ts';

/**
 * The start gate. Burns the ticket by binding the key that the program made itself: the same program may ask again and
 * gets the same answer, a second container is refused. Only after a fresh read that still wants the turn.
 */
export async function serveStart(
  ports: Ports,
  turnId: TurnId,
  ticket: string,
  request: StartRequest,
): Promise<Served<StartAnswer>> {
  if (ports.seal.digest(ticket) !== ports.seal.digest(ports.seal.ticket(turnId))) return 'unauthorised';
  const tick = await ports.ledger.tick();
  if (!isOpen(tick)) return stop('the ledger is not open');
  const turn = await ports.ledger.turn(turnId);
  const board = turn && (await ports.boards()).find(({ id }) => id === turn.board);
  if (turn === undefined || board === undefined) return stop('the turn is not known');
  const run: BoardInvocation = { ...beginInvocation(ports, 'turn', tick.gen, tick.epoch), board };
  const lease = {
    ...unclaimedLease(turn.board, turn.issue.id, turn.issue.key),
    turnId,
    attempt: turn.attempt,
  };
  // Before the gate: a turn that is let in cannot come back for what was not to be had.
  const agentEnvironment = await ports.agentKeys.read().catch(() => undefined);
  if (agentEnvironment === undefined) return 'unavailable';
  const wanted = await isStillWanted(run, lease, turn);
  if (wanted !== 'wanted') return wanted === 'unknown' ? 'unavailable' : stop(wanted);

  const arn = request.arn as Arn;
  const boot = makeBoot(ports, arn, request.key);
  const passed = await carryOut(run, lease, gate(turnId, boot, arn, ports.clock.now()));
  if (passed === 'unknown') return 'unavailable';
  if (passed === 'refused') return stop('the lease is not for this turn, or another container has it');
  const after = await ports.ledger.tick();
  if (after?.gen !== tick.gen || !isOpen(after)) return stop('the ledger was lost');
  tell(run, 'turn-started', lease, { arn });
  const answer = await instruct(run, turn, lease, boot, arn);
  const isNeeded = answer.answer === 'go' && Object.keys(agentEnvironment).length > 0;
  return isNeeded ? { ...answer, agentEnvironment } : answer;
}

async function isStillWanted(
  run: BoardInvocation,
  lease: Pick<Lease, 'board' | 'issueId' | 'key'>,
  turn: TurnRecord,
): Promise<'wanted' | 'unknown' | string> {
  const contract = lastGoodContract(await run.ports.ledger.board(turn.board));
  if (contract === undefined) return 'unknown';
  const reading = await readIssue(run, { ...lease, turnId: turn.turnId, attempt: turn.attempt }, contract);
  if (reading.kind === 'unknown') return 'unknown';
  if (reading.kind === 'gone') return 'gone';
  return unwantedBecause(reading.issue, contract, run.board.workflow) ?? 'wanted';
}

/** Renders what the turn is to do from what was frozen at the claim. A template that does not render is a policy failure. */
async function instruct(
  run: BoardInvocation,
  turn: TurnRecord,
  lease: Lease,
  boot: string,
  arn: Arn,
): Promise<StartAnswer> {
  const rendered = renderPrompt(turn.workflow, turn.issue, turn.attempt, turn.feedback);
  if ('problem' in rendered) {
    const result: TurnResult = {
      version: 1,
      status: 'failed',
      failure: {
        class: 'policy',
        kind: 'template',
        detail: rendered.problem.slice(0, limits.text),
        retryable: false,
      },
      verify: [],
    };
    await carryOut(run, lease, reportResult(turn.turnId, boot, arn, result));
    return stop('the prompt template does not render');
  }
  return {
    answer: 'go',
    instructions: makeInstructions(turn, rendered.prompt, run.ports.settings.timing.heartbeatMs),
  };
}

function makeInstructions(
  { turnId, board, attempt, issue, workflow, repository }: TurnRecord,
  prompt: string,
  heartbeatMs: number,
): Instructions {
  const { agent } = workflow;
  return {
    board,
    key: issue.key,
    turnId,
    attempt,
    repository,
    base: workflow.base,
    branch: branchName(issue.id),
    wipBranch: wipBranchName(issue.id),
    prompt,
    agent: {
      kind: agent.kind,
      command: agent.command,
      turn_timeout_ms: agent.turn_timeout_ms,
      stall_timeout_ms: agent.stall_timeout_ms,
    },
    hooks: workflow.hooks,
    verify: [...workflow.verify],
    deny_paths: [...workflow.deny_paths],
    heartbeatMs,
  };
}

/** A running turn is alive; it learns whether it may go on. */
export async function serveHeartbeat(
  ports: Ports,
  turnId: TurnId,
  key: string,
  request: HeartbeatRequest,
): Promise<Served<HeartbeatAnswer>> {
  return serveRunning(ports, turnId, key, request.arn as Arn, (boot, lease) => {
    const grown = request.progress > (lease?.progress ?? -1);
    return heartbeat(
      turnId,
      boot,
      request.arn as Arn,
      grown ? { count: request.progress, at: ports.clock.now() } : undefined,
    );
  });
}

/** A running turn says what happened. Kept as evidence; what follows is decided when its container is seen stopped. */
export async function serveResult(
  ports: Ports,
  turnId: TurnId,
  key: string,
  request: ResultRequest,
): Promise<Served<HeartbeatAnswer>> {
  return serveRunning(ports, turnId, key, request.arn as Arn, (boot) =>
    reportResult(turnId, boot, request.arn as Arn, request.result),
  );
}

async function serveRunning(
  ports: Ports,
  turnId: TurnId,
  key: string,
  arn: Arn,
  write: (boot: string, lease: Lease | undefined) => LeaseWrite,
): Promise<Served<HeartbeatAnswer>> {
  const tick = await ports.ledger.tick();
  if (!isOpen(tick)) return waitForLedger;
  const place = await findTurn(ports, tick, turnId);
  if (place === undefined) return refuse(ports, tick, turnId, undefined);
  const run = {
    ...beginInvocation(ports, 'turn', tick.gen, tick.epoch),
    board: { id: place.board } as Board,
  };
  const stored = await ports.ledger.lease(tick.gen, place.board, place.issueId);
  const outcome = await carryOut(run, place, write(makeBoot(ports, arn, key), stored));
  if (outcome === 'unknown') return 'unavailable';
  if (outcome === 'refused') return refuse(ports, tick, turnId, place);
  tell(run, 'heartbeat', { ...place, turnId, attempt: attemptOf(turnId) });
  return { answer: 'go' };
}
