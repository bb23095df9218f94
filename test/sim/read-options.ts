import { type ParseArgsConfig, parseArgs } from 'node:util';
import { type FlavourName, flavourNames } from './flavours.ts';
import { mutants } from './mutants/all-mutants.ts';
import { rareMutants } from './mutants/board-mutants.ts';
import type { Mutant } from './mutants/mutant.ts';

/** What a command was given, and the first thing in it that cannot be taken ends the process: one line, and exit code 2. */
export function readOptions<const Config extends ParseArgsConfig>(config: Config) {
  try {
    return parseArgs<Config>(config);
  } catch (error) {
    const [first = ''] = String((error as Error).message).split(/\.?\n|\. /);
    return refuse(`${first}. --help says what there is.`);
  }
}

/** Says what is wrong, and ends the process with exit code 2. */
export function refuse(what: string): never {
  console.error(what);
  process.exit(2);
}

/** A whole number of at least so much, or undefined when the option was not given. */
export function wholeNumber(option: string, text: string | undefined, least = 0): number | undefined {
  if (text === undefined) return undefined;
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(number) && number >= least) return number;
  return refuse(`--${option} takes a whole number of at least ${least}, not '${text}'.`);
}

/** The moment, by `performance.now()`, after which nothing more is begun. */
export function untilMinutes(text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY;
  if (!/^\d+(\.\d+)?$/.test(text)) refuse(`--minutes takes a number of minutes, not '${text}'.`);
  return performance.now() + Number(text) * 60_000;
}

/** A number to begin at: another one in every run, unless told. */
export function seedOf(option: string, text: string | undefined): number {
  return wholeNumber(option, text) ?? Math.floor(Date.now() / 1_000) % 1_000_000_000;
}

export function flavourOf(text: string | undefined): FlavourName | undefined {
  const found = flavourNames.find((name) => name === text);
  if (text !== undefined && found === undefined)
    refuse(`There is no flavour '${text}'; there are: ${flavourNames.join(', ')}.`);
  return found;
}

/** The rule that is to be taken out, if any. */
export function mutantOf(text: string | undefined): Mutant | undefined {
  const known = [...mutants, ...rareMutants];
  const found = known.find(({ name }) => name === text);
  if (text !== undefined && found === undefined)
    refuse(`There is no mutant '${text}'. There are:\n${listed(known.map(({ name }) => name))}`);
  return found;
}

export function listed(names: readonly string[]): string {
  return names.map((name) => `  ${name}`).join('\n');
}

/** The option as a shell takes it, to be printed behind a command; nothing where it has no value. */
export function asOption(option: string, value: string | undefined): string {
  return value === undefined ? '' : ` --${option} '${value.replaceAll("'", "'\\''")}'`;
}
