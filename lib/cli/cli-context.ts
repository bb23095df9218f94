import type { Readable, Writable } from 'node:stream';
import { isatty } from 'node:tty';
import pc from 'picocolors';
import type { Instant } from '../core/issue.ts';

/** What a command needs of the process it runs in. */
export interface CliContext {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Answers of a person, where it is a terminal. */
  readonly stdin: { readonly stream: Readable; readonly isTerminal: boolean };
  /** Results. */
  readonly stdout: Terminal;
  /** Progress and problems. */
  readonly stderr: Terminal;
  readonly now: () => Instant;
}

export interface Terminal {
  readonly stream: Writable;
  readonly isTerminal: boolean;
  /** Whether colour and cursor movement are wanted there. */
  readonly isRich: boolean;
}

export type Colors = ReturnType<typeof pc.createColors>;

/** The context of the running process. */
export function processContext(): CliContext {
  const { env } = process;
  const terminal = (stream: NodeJS.WriteStream): Terminal => {
    const isTerminal = stream.isTTY === true;
    return { stream, isTerminal, isRich: isTerminal && !env.NO_COLOR && env.TERM !== 'dumb' };
  };
  return {
    cwd: process.cwd(),
    env,
    // Only looked at once somebody asks: reading it is what keeps a process from ending.
    stdin: {
      get stream() {
        return process.stdin;
      },
      isTerminal: isatty(0),
    },
    stdout: terminal(process.stdout),
    stderr: terminal(process.stderr),
    now: Date.now,
  };
}

export function colorsOf(terminal: Terminal): Colors {
  return pc.createColors(terminal.isRich);
}

/** Writes a block of text and a line end. */
export function writeText(terminal: Terminal, text: string): void {
  terminal.stream.write(`${text}\n`);
}
