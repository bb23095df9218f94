import type { AgentAdapter, AgentEnd } from './agent.ts';
import { type Failure, failure, lastingFailure } from './failure.ts';

/** Any program, as a shell line. Its exit is its verdict; what it asks or spends stands in its report, if it writes one. */
export function commandAgent(line: string): AgentAdapter {
  return {
    kind: 'command',
    command: { file: 'sh', args: ['-c', line] },
    onLine: () => undefined,
    finish: (end) => ({ failure: judge(end), usage: undefined }),
  };
}

function judge({ code, signal }: AgentEnd): Failure | undefined {
  if (code === 0) return undefined;
  if (code === 126 || code === 127) {
    const detail = `The shell could not run agent.command (exit code ${code}): the program is missing or not executable.`;
    return lastingFailure('policy', 'command-not-found', detail);
  }
  return failure('agent', 'crash', `The agent ended with ${signal ?? `exit code ${code}`}.`);
}
