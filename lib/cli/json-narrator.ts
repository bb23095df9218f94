import type { Instant } from '../core/issue.ts';
import type { Fact } from '../core/trace.ts';
import { formatTraceLine } from '../core/trace-line.ts';
import type { HostEvent } from '../host/host.ts';
import { type Terminal, writeText } from './cli-context.ts';
import type { Narrator } from './narrator.ts';
import { isolationWarning } from './start-header.ts';

/** Writes trace lines and nothing else. What is wrong with the host itself is an alarm among them. */
export function jsonNarrator(stderr: Terminal, now: () => Instant): Narrator {
  const write = (fact: Fact) => writeText(stderr, formatTraceLine(fact));
  const alarm = (reason: string, details: Partial<Fact>) =>
    write({ time: now(), fact: 'alarm', actor: 'host', reason, ...details });
  return {
    tell(event) {
      if (event.kind === 'fact') write(event.fact);
      else tellTrouble(event, alarm);
    },
    begin: () => alarm('not-isolated', { problem: isolationWarning }),
    end(end) {
      if (end.kind === 'failed') alarm('host-failed', { problem: end.problem });
    },
    leave: () =>
      alarm('left-at-once', { problem: 'turns that still run go on and are adopted at the next start' }),
    fail(problem) {
      alarm('start-refused', { problem });
      return true;
    },
  };
}

function tellTrouble(
  event: Exclude<HostEvent, { kind: 'fact' }>,
  alarm: (reason: string, details: Partial<Fact>) => void,
): void {
  switch (event.kind) {
    case 'tick-failed':
      alarm('tick-failed', { problem: event.problem });
      break;
    case 'workflow-broken':
      alarm('workflow-broken', {
        board: event.board,
        problems: event.problems.map(({ rule, path, message }) => `${rule} ${path}: ${message}`),
      });
      break;
    case 'board-withheld':
      alarm('board-withheld', {
        board: event.board,
        problem: `${event.message}; to resume: ${event.toResume}`,
      });
      break;
    case 'warning':
      alarm('warning', { problem: event.message });
      break;
    case 'tick':
    case 'workflow-changed':
    case 'stopping':
      break;
  }
}
