import type { BoardReport } from '../controller/board-report.ts';
import type { TickReport } from '../controller/reconcile.ts';
import type { Problem } from '../core/contract.ts';
import type { Instant } from '../core/issue.ts';
import type { HostEvent } from '../host/host.ts';
import type { Memory } from './memory.ts';
import type { StoryLine } from './story-line.ts';
import { roughDuration } from './time-text.ts';

/** Tells what is wrong with the host, a tick or a board, and when it is right again. */
export interface TroubleNews {
  /** A tick while the ledger is new or lost. */
  ofLook(report: Exclude<TickReport, { kind: 'done' }>): readonly StoryLine[];
  ofTick(report: Extract<TickReport, { kind: 'done' }>): readonly StoryLine[];
  ofContract(board: BoardReport): readonly StoryLine[];
  ofHost(event: Exclude<HostEvent, { kind: 'fact' | 'tick' }>): readonly StoryLine[];
}

export function makeTroubleNews({ isNews }: Memory, now: () => Instant): TroubleNews {
  const bad = (subject: string, word: string, text: string, reason?: string): StoryLine => ({
    time: now(),
    subject,
    word,
    tone: 'bad',
    reason,
    text,
  });
  const plain = (subject: string, word: string, text: string): StoryLine => ({
    time: now(),
    subject,
    word,
    tone: 'quiet',
    text,
  });
  const listProblems = (subject: string, problems: readonly Problem[]) =>
    problems.map(({ rule, path, message }) =>
      bad(subject, 'contract', path === '' ? message : `${path}: ${message}`, rule),
    );

  const tellBroken = ({ board, workflow, problems }: Extract<HostEvent, { kind: 'workflow-broken' }>) => {
    const still = isNews(`workflow ${board}`, JSON.stringify(problems)) ? '' : 'still ';
    const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
    return [
      bad(
        board,
        'workflow',
        `${workflow} is ${still}broken (${count}): the last good one is kept, and nothing starts until it is mended`,
      ),
      ...(still === '' ? listProblems(board, problems) : []),
    ];
  };

  return {
    ofLook(report) {
      if (report.kind === 'not-admitted' || !isNews('ledger', report.detail)) return [];
      return [plain('ledger', report.opened ? 'open' : 'closed', report.detail)];
    },
    ofTick({ summary }) {
      isNews('ledger', '');
      if (!isNews('tick', summary.problems.join('\n'))) return [];
      return summary.problems.map((problem) => bad('tick', 'problem', problem));
    },
    ofContract({ board, valid, problems }) {
      const isFirst = isNews(`contract known ${board}`, 'yes');
      if (!isNews(`contract ${board}`, valid ? 'valid' : JSON.stringify(problems))) return [];
      // The host tells by itself, at every tick, that a workflow file is broken.
      if (!valid)
        return listProblems(
          board,
          problems.filter(({ rule }) => rule !== 'workflow-file'),
        );
      return isFirst ? [] : [plain(board, 'contract', 'it holds again')];
    },
    ofHost(event) {
      switch (event.kind) {
        case 'tick-failed':
          return isNews('tick', event.problem) ? [bad('tick', 'failed', event.problem)] : [];
        case 'workflow-broken':
          return tellBroken(event);
        case 'workflow-changed':
          isNews(`workflow ${event.board}`, '');
          return [plain(event.board, 'workflow', `${event.workflow} was changed and is taken up`)];
        case 'warning':
          return [{ ...plain('', 'warning', event.message), tone: 'wait' }];
        case 'stopping':
          return [plain('', 'ending', describeStopping(event))];
      }
    },
  };
}

function describeStopping({ liveTurns, graceMs }: Extract<HostEvent, { kind: 'stopping' }>): string {
  if (liveTurns === 0) return 'nothing starts any more, and nothing runs';
  const turns = liveTurns === 1 ? '1 turn is' : `${liveTurns} turns are`;
  return `nothing starts any more; ${turns} asked to end, for at most ${roughDuration(graceMs)} (Ctrl-C again leaves at once)`;
}
