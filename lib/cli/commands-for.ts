import type { CliContext } from './cli-context.ts';
import type { Target } from './with-operations.ts';

/** Writes a command of this program out, such as `explain` and a key, so that it can be copied where this one was given. */
export type WriteCommand = (name: string, ...args: readonly string[]) => string;

/**
 * Commands about the deployment that a command line is about: with the options by which that one found it. Every text that
 * names a command has it from here.
 */
export function commandsFor(target: Partial<Target>, env: CliContext['env'] = {}): WriteCommand {
  const options = target.stack === undefined ? optionsOnMachine(target, env) : optionsOfStack(target);
  const tail = options.map(([name, value]) => ` --${name} ${quoted(value)}`).join('');
  return (name, ...args) => `${['evenkeel', name, ...args.map(quoted)].join(' ')}${tail}`;
}

type GivenOption = readonly [name: string, value: string];

function optionsOfStack({ stack, region, profile }: Partial<Target>): readonly GivenOption[] {
  return Object.entries({ stack, region, profile }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
}

/** The default, and what the environment says, need no option. */
function optionsOnMachine(
  { data, workflow = [] }: Partial<Target>,
  env: CliContext['env'],
): readonly GivenOption[] {
  const isPlain = data === undefined || data === defaultData || data === env.EVENKEEL_DATA;
  return [
    ...(isPlain ? [] : [['data', data] as const]),
    ...workflow.map((file) => ['workflow', file] as const),
  ];
}

/** The data folder where none is named. */
export const defaultData = '.evenkeel';

/**
 * An answer in which every remedy that is a command of this program is one that can be copied. Core writes such a remedy
 * as `evenkeel` and its words, and knows of no deployment.
 */
export function withCommands<Answer>(answer: Answer, command: WriteCommand): Answer {
  if (Array.isArray(answer)) return answer.map((one) => withCommands(one, command)) as Answer;
  if (typeof answer !== 'object' || answer === null) return answer;
  const entries = Object.entries(answer).map(([field, value]) => [
    field,
    field === 'toResume' ? remedyFor(value, command) : withCommands(value, command),
  ]);
  return Object.fromEntries(entries);
}

/** What is to be done, as it can be copied. */
export function remedyFor<Remedy>(remedy: Remedy, command: WriteCommand): Remedy | string {
  const [, words] = /^evenkeel (.+)$/.exec(String(remedy)) ?? [];
  if (words === undefined) return remedy;
  const [name, ...args] = words.split(' ') as [string, ...string[]];
  return command(name, ...args);
}

function quoted(value: string): string {
  return /^[\w@%+=:,./-][\w@%+=:,./#-]*$/.test(value)
    ? value
    : `'${value.replaceAll("'", String.raw`'\''`)}'`;
}
