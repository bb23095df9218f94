import { markOf } from '../core/process-mark.ts';

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  /** As whom it runs; without them as the turn program's own user. */
  readonly uid?: number;
  readonly gid?: number;
}

/**
 * The same command by way of a shell that gives itself the mark of the turn and becomes the program, in the same process.
 * Where there is no such limit the program runs without.
 */
export function markCommand(cookie: string, command: Command): Command {
  // Elsewhere the same letters may stand for a limit that is heeded.
  if (process.platform !== 'linux') return command;
  const mark = markOf(cookie);
  // Shells differ in the letter.
  const line = `ulimit -S -w ${mark} 2>/dev/null || ulimit -S -x ${mark} 2>/dev/null; exec "$@"`;
  return { file: 'sh', args: ['-c', line, 'sh', command.file, ...command.args] };
}
