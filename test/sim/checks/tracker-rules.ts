import { type Issue, type IssueId, stateKey } from '../../../lib/core/issue.ts';
import type { Lease } from '../../../lib/core/lease.ts';
import { branchName } from '../../../lib/core/names.ts';
import type { Proc } from '../kernel.ts';
import type { CardBoard } from '../models/card-board.ts';
import type { PullRequestWatch } from '../models/sim-pull-requests.ts';
import type { Landed, TrackerWatch, TrackerWrite } from '../models/sim-tracker.ts';
import type { Shown } from './shown.ts';
import { isOpen, noteOf, type SimBoard, type Truth } from './truth.ts';

/** A board's policy as a process was given it. */
interface Served {
  readonly workflow: SimBoard['workflow'];
  readonly problem: string | undefined;
}

/** From the answer of a read to the sending of the write that follows it. */
const readToWriteMs = 2_100;

/** Judges every write on the board: what it was decided from, and what it found when it landed. */
export function trackerRules(truth: Truth): TrackerWatch & PullRequestWatch {
  const simBoardOf = (cards: CardBoard) => truth.boards.find((board) => board.cards === cards)!;
  return {
    statesRead(proc, cards, names) {
      const board = simBoardOf(cards);
      judgeAsked(truth, board, proc);
      proc.notes.set(
        `states ${board.id}`,
        names !== undefined && holds(noteOf(proc, `served ${board.id}`), names),
      );
    },
    listed(proc, cards, states, listing) {
      judgeAsked(truth, simBoardOf(cards), proc);
      // What waits for a person says nothing of what should have an agent.
      if (states.every((state) => isHandoff(simBoardOf(cards), state))) return;
      const name = `list ${simBoardOf(cards).id}`;
      proc.notes.set(`listed ${simBoardOf(cards).id}`, listing !== undefined);
      const before = noteOf<ReadonlySet<IssueId>>(proc, name) ?? new Set();
      proc.notes.set(name, new Set([...before, ...(listing?.issues.map((issue) => issue.id) ?? [])]));
    },
    read(proc, cards, id, reading) {
      proc.notes.set(`read ${simBoardOf(cards).id} ${id}`, {
        reading,
        at: truth.kernel.now(),
      } satisfies Shown);
      truth.saw(`read ${reading.kind}`);
    },
    writeAnswered(proc, cards, { issue, to }) {
      proc.notes.set(`written ${simBoardOf(cards).id} ${issue.id}`, to);
    },
    writeSent(proc, cards, write) {
      // What an earlier move of the same invocation brought says nothing of this one.
      if (write.kind === 'transition') proc.notes.delete(`written ${simBoardOf(cards).id} ${write.issue.id}`);
      judgeSent(truth, simBoardOf(cards), proc, write);
    },
    putSent: (proc, board, branch) => judgePut(truth, board, proc, branch),
    writeLanded: (proc, cards, write, landed) => judgeLanded(truth, simBoardOf(cards), proc, write, landed),
  };
}

/** A pull request is put for work whose issue was just read, and which nobody has finished. */
function judgePut({ fail }: Truth, board: SimBoard, proc: Proc, branch: string): void {
  const card = [...board.cards.cards.values()].find(({ id }) => branchName(id) === branch);
  const shown = noteOf<Shown>(proc, `read ${board.id} ${card?.id}`);
  const what = `the pull request of ${branch}`;
  if (shown?.reading.kind !== 'found') fail('T1', `${what} is put without a read in the same step`);
  else if (shown.reading.issue.closed || isFinal(shown.reading.issue.state))
    fail('T1', `${what} is put after its own read showed ${shown.reading.issue.state}`);
}

/** A process that was shown that the board is limited does not ask for all of it. */
function judgeAsked({ fail }: Truth, board: SimBoard, proc: Proc): void {
  const until = noteOf<number>(proc, `limit ${board.id}`);
  if (until !== undefined) fail('Q1', `${proc.kind} reads ${board.id}, which is limited until ${until}`);
}

function holds(served: Served | undefined, names: readonly string[]): boolean {
  if (served === undefined || served.problem !== undefined) return false;
  const { workflow } = served;
  const { active_states, handoff_state, terminal_states } = workflow.tracker;
  const there = new Set(names.map(stateKey));
  const asked = [
    ...active_states,
    ...terminal_states,
    ...(handoff_state === undefined ? [] : [handoff_state]),
  ];
  return asked.every((name) => there.has(stateKey(name)));
}

function judgeSent(truth: Truth, board: SimBoard, proc: Proc, { issue, to, kind }: TrackerWrite): void {
  const { fail, store, memory } = truth;
  const shown = noteOf<Shown>(proc, `read ${board.id} ${issue.id}`);
  const what = `${kind} of ${issue.id} to ${to}`;
  if (shown?.reading.kind !== 'found') {
    fail('T1', `${what} without a read in the same step`);
    return;
  }
  const age = truth.kernel.now() - shown.at;
  if (age > readToWriteMs) fail('T1', `${what} from a read that is ${age} ms old`);
  const found = shown.reading.issue;
  if (kind === 'restore') return;
  if (found.closed || isFinal(found.state)) fail('T1', `${what} after its own read showed ${found.state}`);
  const lease = store.lease(board.id, issue.id);
  if (isOfMerge(lease)) {
    judgeMerged(truth, board, found, to, what);
    return;
  }
  if (isFinal(to)) fail('T4', `${what}: a final state is for people to set`);
  if (!isOpen(truth) || lease?.turnId === undefined) return;
  if (!isEdge(board, to)) fail('T6', `${what} is no write of the closed list`);
  const own = lease.writtenState ?? lease.startedFrom;
  if (own === undefined || !sameState(own, found.state))
    fail('P4', `${what} replaces ${found.state}, which is not the turn's own (${own})`);
  if (memory.stoppedTurns.has(lease.turnId) && isHandoff(board, to))
    fail('C3', `${what}: its turn was told to stop`);
}

/** Whether the write that is announced is made by no turn. */
function isOfMerge(lease: Lease | undefined): boolean {
  return lease?.phase === 'idle' && lease.pending !== undefined && lease.pending.turnId === undefined;
}

/** What was merged is finished, where the workflow says so, and only from where it waits for a person. */
function judgeMerged({ fail }: Truth, board: SimBoard, found: Issue, to: string, what: string): void {
  const { merged_state } = board.workflow.tracker;
  const names = [merged_state, board.cards.states[4]?.name];
  if (merged_state === undefined || !names.some((name) => name !== undefined && sameState(name, to)))
    fail('T6', `${what} is no write of the closed list`);
  if (board.cards.host.mergedAt(branchName(found.id)) === undefined)
    fail('T4', `${what}: its work is not merged`);
  if (found.state === undefined || !isHandoff(board, found.state))
    fail('P4', `${what} replaces ${found.state}, which waits for nobody`);
}

function judgeLanded(
  truth: Truth,
  board: SimBoard,
  proc: Proc,
  { card, issue, to, kind }: TrackerWrite,
  { before, statesBefore, after, answer }: Landed,
): void {
  const { fail, memory, flavour, kernel, saw } = truth;
  const isWritten = answer === 'messy' || answer.kind === 'written';
  saw(`landed ${kind} ${answer === 'messy' ? 'messy' : answer.kind}`);
  if (!isWritten || card === undefined) return;
  const what = `${kind} of ${issue.id} to ${to}`;
  const lease = truth.store.lease(board.id, issue.id);
  const unfenced = whyUnfenced(proc, lease, to, kind);
  if (isOpen(truth) && unfenced !== undefined) fail('F1', `${what} lands while ${unfenced}`);
  const wasFinal = before === 'terminal' && !flavour.separateFields && kind === 'transition';
  const isOther = wasFinal && statesBefore.some((state) => !sameState(state, to));
  if (before === 'terminal' && (after !== 'terminal' || isOther)) {
    if (flavour.separateFields || flavour.compareAndSet) fail('T2', `${what} replaces a close`);
    saw('overwrite of a close');
    memory.overwrites.push({ board, card, at: kernel.now(), was: statesBefore[0] ?? '', by: to });
  }
  if (kind === 'restore' && !memory.overwrites.some((one) => one.card === card && sameState(one.was, to)))
    fail('T4', `${what}: we had replaced no such state`);
  const wished = card.wish.column;
  const isReplaced = kind !== 'take-back' && statesBefore.some((state) => !sameState(state, issue.state));
  // Beside a second label ours takes the first away, and then goes: what is left is what somebody added last.
  const isBeside = statesBefore.length > 1;
  if (isReplaced && (isBeside || !sameState(wished, issue.state)))
    memory.replacedWishes.set(card, card.wish.at);
}

/** Why this write should not land any more: its turn must hold the lease, with the write still announced by its sender. */
function whyUnfenced(
  proc: Proc,
  lease: Lease | undefined,
  to: string,
  kind: TrackerWrite['kind'],
): string | undefined {
  if (lease === undefined) return 'its issue has no lease';
  if (lease.phase === 'idle' && !isOfMerge(lease)) return 'its lease is idle';
  if (lease.pending === undefined) return 'no write is announced';
  const own = noteOf<ReadonlySet<string>>(proc, 'invocations');
  if (!own?.has(lease.pending.by)) return 'the write is announced by somebody else';
  if (kind === 'transition' && !sameState(lease.pending.to, to))
    return `a write to ${lease.pending.to} is announced`;
  return isOfMerge(lease) || lease.pending.turnId === lease.turnId
    ? undefined
    : 'the write is announced for another turn';
}

function isEdge(board: SimBoard, to: string): boolean {
  const { in_progress_state, merged_state } = board.workflow.tracker;
  const renamed = board.cards.states.map(({ name }) => name as string);
  return (
    isHandoff(board, to) ||
    [in_progress_state, merged_state, renamed[2]].some((state) => state !== undefined && sameState(state, to))
  );
}

function isHandoff(board: SimBoard, to: string): boolean {
  const { handoff_state } = board.workflow.tracker;
  const renamed = board.cards.states[3]?.name;
  return [handoff_state, renamed].some((state) => state !== undefined && sameState(state, to));
}

function isFinal(state: string | undefined): boolean {
  return state !== undefined && ['done', 'cancelled'].includes(stateKey(state));
}

function sameState(a: string, b: string | undefined): boolean {
  return b !== undefined && stateKey(a) === stateKey(b);
}
