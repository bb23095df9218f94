import type { BoardReport } from '../controller/board-report.ts';
import type { TickReport } from '../controller/reconcile.ts';
import { isUnread, type Problem } from '../core/contract.ts';
import type { Instant } from '../core/issue.ts';
import type { HostEvent } from '../host/host.ts';
import type { Memory } from './memory.ts';
import type { StoryNames } from './story.ts';
import type { StoryLine } from './story-line.ts';
import { dayAndTime, roughDuration } from './time-text.ts';

/** Tells what is wrong with the host, a tick or a board, and when it is right again. */
export interface TroubleNews {
  /** A tick while the ledger is new or lost. */
  ofLook(report: Exclude<TickReport, { kind: 'done' }>): readonly StoryLine[];
  ofTick(report: Extract<TickReport, { kind: 'done' }>): readonly StoryLine[];
  ofContract(board: BoardReport): readonly StoryLine[];
  ofPause(board: BoardReport): readonly StoryLine[];
  ofHost(event: Exclude<HostEvent, { kind: 'fact' | 'tick' }>): readonly StoryLine[];
}

export function makeTroubleNews({ isNews }: Memory, now: () => Instant, names: StoryNames): TroubleNews {
  const unread = new Set<string>();
  return {
    ofLook(report) {
      if (report.kind === 'not-admitted' || !isNews('ledger', report.detail)) return [];
      return [quiet(now(), 'ledger', report.opened ? 'open' : 'closed', report.detail)];
    },
    ofTick({ summary }) {
      isNews('ledger', '');
      if (!isNews('tick', summary.problems.join('\n'))) return [];
      return summary.problems.map((problem) => bad(now(), 'tick', 'problem', problem));
    },
    ofContract({ board, valid, problems }) {
      const isFirst = isNews(`contract known ${board}`, 'yes');
      const isWell = valid && problems.length === 0;
      if (!isNews(`contract ${board}`, isWell ? 'valid' : JSON.stringify(problems))) return [];
      const wasUnread = unread.has(board);
      if (isUnread(problems)) unread.add(board);
      else unread.delete(board);
      if (isWell && isFirst) return [];
      if (isWell)
        return [
          wasUnread
            ? quiet(now(), board, 'board', 'it is read again')
            : quiet(now(), board, 'contract', 'it holds again'),
        ];
      // The host tells these by itself, at every tick.
      const others = problems.filter(
        ({ rule }) => rule !== 'workflow-file' && rule !== 'board-owner' && rule !== 'board-writable',
      );
      return listProblems(now(), board, others);
    },
    ofPause({ board, pausedSince }) {
      const isFirst = isNews(`pause known ${board}`, 'yes');
      if (!isNews(`pause ${board}`, String(pausedSince))) return [];
      if (pausedSince === undefined)
        return isFirst ? [] : [quiet(now(), board, 'resumed', 'it is not paused any more')];
      const text = `it has been paused since ${dayAndTime(new Date(pausedSince).toISOString())}: nothing starts, what runs goes on; to resume: ${names.command('resume', board)}`;
      return [{ ...quiet(now(), board, 'paused', text), tone: 'wait' }];
    },
    ofHost(event) {
      switch (event.kind) {
        case 'tick-failed':
          return isNews('tick', event.problem) ? [bad(now(), 'tick', 'failed', event.problem)] : [];
        case 'workflow-broken':
          return describeBroken(
            event,
            isNews(`workflow ${event.board}`, JSON.stringify(event.problems)),
            now(),
          );
        case 'board-withheld':
          return [
            bad(
              now(),
              event.board,
              'board',
              describeWithheld(event, isNews(`withheld ${event.board}`, event.message)),
            ),
          ];
        case 'workflow-changed':
          isNews(`workflow ${event.board}`, '');
          return [quiet(now(), event.board, 'workflow', `${event.workflow} was changed and is taken up`)];
        case 'warning':
          return [{ ...quiet(now(), '', 'warning', event.message), tone: 'wait' }];
        case 'stopping':
          return [quiet(now(), '', 'ending', describeStopping(event))];
      }
    },
  };
}

/** With everything that is wrong when it is news, else short. The last good file goes on stopping and settling. */
function describeBroken(
  { board, workflow, problems }: Extract<HostEvent, { kind: 'workflow-broken' }>,
  isNew: boolean,
  time: Instant,
): readonly StoryLine[] {
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  if (!isNew) return [bad(time, board, 'workflow', `nothing starts: ${workflow} still has ${count}`)];
  const first = problems
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
    .join('; ');
  const text = `nothing starts until ${workflow} is mended (${count}): ${first}`;
  return [bad(time, board, 'workflow', text)];
}

function describeWithheld(
  { message, toResume }: Extract<HostEvent, { kind: 'board-withheld' }>,
  isNew: boolean,
): string {
  if (!isNew) return `nothing starts, as before; to resume: ${toResume}`;
  return `nothing starts: ${message}; to resume: ${toResume}`;
}

function listProblems(time: Instant, subject: string, problems: readonly Problem[]): readonly StoryLine[] {
  const isSilent = isUnread(problems);
  return problems.map(({ rule, path, message }) => ({
    ...bad(
      time,
      subject,
      isSilent ? 'board' : 'contract',
      path === '' || isSilent ? message : `${path}: ${message}`,
    ),
    reason: rule,
  }));
}

function describeStopping({ liveTurns, graceMs }: Extract<HostEvent, { kind: 'stopping' }>): string {
  if (liveTurns === 0) return 'nothing starts any more, and nothing runs';
  const turns = liveTurns === 1 ? '1 turn is' : `${liveTurns} turns are`;
  return `nothing starts any more; ${turns} asked to end, for at most ${roughDuration(graceMs)} (Ctrl-C again leaves at once)`;
}

function bad(time: Instant, subject: string, word: string, text: string): StoryLine {
  return { time, subject, word, tone: 'bad', text };
}

function quiet(time: Instant, subject: string, word: string, text: string): StoryLine {
  return { time, subject, word, tone: 'quiet', text };
}
