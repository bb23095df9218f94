import { Command, CommanderError } from 'commander';
import { programVersion } from '../host/program-version.ts';
import { addBootstrap } from './bootstrap.ts';
import { addCheckTrace } from './check-trace.ts';
import { type CliContext, writeText } from './cli-context.ts';
import type { Cli, Outcome } from './command.ts';
import { addExplain } from './explain.ts';
import { harmlessBlock } from './harmless-text.ts';
import { addHistory } from './history.ts';
import { addInit } from './init.ts';
import { addLogs } from './logs.ts';
import { addPause } from './pause.ts';
import { addPlan } from './plan.ts';
import { addResume } from './resume.ts';
import { addStart } from './start.ts';
import { addStatus } from './status.ts';
import { addTick } from './tick.ts';
import { addValidate } from './validate.ts';

/**
 * Runs one command line and answers its exit code: 0 fine, 1 refused or failed, 2 wrong usage. What goes wrong is told as
 * a sentence that names the thing and the remedy; EVENKEEL_DEBUG=1 adds where in the program it happened.
 */
export async function runProgram(argv: readonly string[], context: CliContext): Promise<0 | 1 | 2> {
  const outcome: Outcome = { exitCode: 0 };
  try {
    await buildProgram(context, outcome).parseAsync(argv, { from: 'user' });
    return outcome.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    writeText(context.stderr, `evenkeel: ${describeError(error)}`);
    if (context.env.EVENKEEL_DEBUG && error instanceof Error) writeText(context.stderr, error.stack ?? '');
    return 1;
  }
}

function buildProgram(context: CliContext, outcome: Outcome): Command {
  const program = new Command('evenkeel')
    .description(
      'Keeps coding agents level with the issue board you already use: an issue in an active column has an agent at work on it, an issue anywhere else has none. Moving the card is the only control.',
    )
    .version(programVersion, '--version', 'print the version')
    .helpOption('--help', 'show help')
    .helpCommand(false)
    .configureOutput({
      writeOut: (text) => context.stdout.stream.write(text),
      writeErr: (text) => context.stderr.stream.write(text),
      getOutHasColors: () => context.stdout.isRich,
      getErrHasColors: () => context.stderr.isRich,
    })
    .exitOverride()
    .showSuggestionAfterError()
    .showHelpAfterError('`--help` shows what is possible.')
    .addHelpText(
      'after',
      '\nExample:\n  $ evenkeel start\n\n`evenkeel <command> --help` shows what it takes.',
    );
  const cli: Cli = { program, context, outcome };
  for (const add of commands) add(cli);
  return program;
}

const commands: readonly ((cli: Cli) => void)[] = [
  addInit,
  addStart,
  addValidate,
  addPlan,
  addExplain,
  addStatus,
  addHistory,
  addLogs,
  addTick,
  addPause,
  addResume,
  addBootstrap,
  addCheckTrace,
];

function describeError(error: unknown): string {
  return harmlessBlock(error instanceof Error && error.message !== '' ? error.message : String(error));
}
