import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CliContext } from './cli-context.ts';
import { defaultData } from './commands-for.ts';

/** 0: fine. 1: refused or failed. Wrong usage is 2 and never gets as far as a command. */
export type ExitCode = 0 | 1;

/** The outcome of the command that ran. */
export interface Outcome {
  exitCode: ExitCode;
}

export interface Cli {
  readonly program: Command;
  readonly context: CliContext;
  readonly outcome: Outcome;
}

export interface CommandWords {
  readonly name: string;
  /** One line, for the list of commands. */
  readonly summary: string;
  /** The rest, for its own help. */
  readonly description: string;
  readonly examples: readonly string[];
}

/** Adds a command with its help; every command tells its results as JSON too. */
export function addCommand(
  { program }: Cli,
  { name, summary, description, examples }: CommandWords,
): Command {
  const title = examples.length === 1 ? 'Example:' : 'Examples:';
  return program
    .command(name)
    .summary(summary)
    .description(description)
    .addOption(new Option('--json', 'print the result as JSON'))
    .addHelpText('after', ['', title, ...examples.map((example) => `  $ ${example}`)].join('\n'));
}

/** Runs a command's action and keeps its exit code. */
export function run<Input extends readonly unknown[]>(
  { outcome }: Cli,
  action: (...input: Input) => Promise<ExitCode>,
): (...input: Input) => Promise<void> {
  return async (...input) => {
    outcome.exitCode = await action(...input);
  };
}

export function dataOption(): Option {
  return new Option('--data <dir>', 'the folder that holds everything that is kept')
    .env('EVENKEEL_DATA')
    .default(defaultData);
}

export function workflowOption(description: string): Option {
  return new Option('--workflow <file>', description)
    .argParser((file: string, files: readonly string[]) => [...files, file])
    .default([], 'WORKFLOW.md in the current folder, else the example');
}

/** Parses a whole number of a range. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (number >= min && number <= max) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}

/** Parses seconds, also parts of one, into milliseconds. */
export function secondsAsMs(min: number, max: number): (text: string) => number {
  return (text) => {
    const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
    if (seconds >= min && seconds <= max) return Math.round(seconds * 1_000);
    throw new InvalidArgumentError(`It must be a number of seconds from ${min} to ${max}.`);
  };
}

/** Takes an http or https address as it is written. */
export function webAddress(text: string): string {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return text;
  throw new InvalidArgumentError('It must be an http or https address.');
}
