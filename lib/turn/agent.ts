import type { Instructions, TurnResult } from '../core/turn-protocol.ts';
import { commandAgent } from './command-agent.ts';
import { type Failure, lastingFailure } from './failure.ts';
import type { Command } from './mark-command.ts';

/** One program that can work on an issue. An adapter serves one turn and may keep what it reads. */
export interface AgentAdapter {
  readonly kind: string;
  /** What to start in the workspace, with the prompt on its standard input. */
  readonly command: Command;
  /** A line of its standard output, cut where it is very long. Never throws. */
  onLine(line: string): void;
  /** The verdict after its end. The exit code may lower what the output said, never raise it. */
  finish(end: AgentEnd): AgentVerdict;
}

export interface AgentEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface AgentVerdict {
  /** Undefined when the agent's own end was seen and was good. */
  readonly failure: Failure | undefined;
  readonly usage: TurnResult['usage'];
}

/** The adapter for what the policy names, or why there is none. */
export function chooseAgent({ kind, command }: Instructions['agent']): AgentAdapter | Failure {
  if (kind !== 'command') {
    return lastingFailure(
      'policy',
      'agent-not-supported',
      `agent.kind ${kind} is not supported on this version; use kind: command.`,
    );
  }
  if (command === undefined) {
    return lastingFailure(
      'policy',
      'agent-command-missing',
      'agent.kind command needs agent.command, a shell line to run.',
    );
  }
  return commandAgent(command);
}
