import { childEnvironment } from './child-environment.ts';
import { type Failure, failure } from './failure.ts';
import { keepOutput } from './keep-output.ts';
import { planShell, runBounded } from './run-bounded.ts';
import type { Turn } from './turn.ts';

const logCapBytes = 4 * 1024 * 1024;

/**
 * Runs one hook in the workspace, if the policy has it. What it starts in the background lives on for the agent and is
 * reaped with it. Undefined when all is well, also when the turn is to stop.
 */
export async function runHook(
  turn: Turn,
  name: 'after_create' | 'before_run' | 'after_run',
): Promise<Failure | undefined> {
  const { hooks } = turn.instructions;
  const line = hooks[name];
  if (line === undefined || turn.stop.stopping.aborted) return undefined;
  turn.log(`hook ${name} begins`);
  const plan = planShell(line, {
    cwd: turn.folder.workspace,
    env: childEnvironment(turn),
    log: keepOutput(turn, name, logCapBytes),
  });
  const { end } = await runBounded(plan, hooks.timeout_ms, turn);
  if (end.kind === 'stopped' || (end.kind === 'exited' && end.code === 0)) return undefined;
  const what = {
    timeout: `took longer than ${hooks.timeout_ms} ms`,
    'not-started': 'could not be started',
    exited: end.kind === 'exited' ? `ended with ${end.signal ?? `exit code ${end.code}`}` : '',
  }[end.kind];
  return failure('policy', 'hook-failed', `The hook ${name} ${what}${sayWhere(turn, name)}.`);
}

/** Where its output is, for whoever has to mend it. */
function sayWhere({ environment, folder }: Turn, name: string): string {
  if (environment.keepsFolder) return `; its output is in ${folder.log(name)}`;
  return environment.printsOutput ? `; its output is in the log of the turn, as ${name}.log` : '';
}
