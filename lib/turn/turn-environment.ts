import { isAbsolute } from 'node:path';
import * as z from 'zod';
import { isInContainer } from './container.ts';
import { keepsSecrets } from './turn-api-client.ts';

/** What the runner tells the turn program. Everything else comes with the instructions. */
export interface TurnEnvironment {
  readonly turnId: string;
  /** The turn's own folder; it exists. */
  readonly dir: string;
  readonly ticket: string;
  /** In the environment of every process of this turn, so that all of them can be found. */
  readonly cookie: string;
  /** An address, or the path of the file in which the host on this machine writes its address. */
  readonly api: string;
  /** Whether the folder is still there after the turn. */
  readonly keepsFolder: boolean;
  /** Whether what programs print is printed beside the turn's steps, because its files are gone with it. */
  readonly printsOutput: boolean;
  /** The uid that the agent is to have, in a container that has one for it. */
  readonly agentUid: number | undefined;
  /** Variables that only the agent gets, such as its model key. */
  readonly passed: Readonly<Record<string, string>>;
}

/**
 * Reads the environment and takes the ticket out of it, so that no child can inherit it. Throws an error that names every
 * variable that is missing or unfit, and never shows a value.
 */
export function takeEnvironment(env: NodeJS.ProcessEnv): TurnEnvironment {
  const parsed = environmentSchema.safeParse(env);
  delete env.EVENKEEL_TICKET;
  if (!parsed.success) {
    const names = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    throw new Error(
      `The turn program is started by a runner, with its environment set. ${names.join('; ')}.`,
    );
  }
  const { EVENKEEL_PASS: names, ...found } = parsed.data;
  return {
    turnId: found.EVENKEEL_TURN_ID,
    dir: found.EVENKEEL_TURN_DIR,
    ticket: found.EVENKEEL_TICKET,
    cookie: found.EVENKEEL_COOKIE,
    api: found.EVENKEEL_TURN_API,
    keepsFolder: !isInContainer(env),
    printsOutput: found.EVENKEEL_OUTPUT === 'logs',
    agentUid: isInContainer(env) ? found.EVENKEEL_AGENT_UID : undefined,
    passed: pickVariables(env, names.split(',')),
  };
}

const environmentSchema = z.object({
  EVENKEEL_TURN_ID: z.string('is missing').regex(/^[A-Za-z0-9_-]{1,100}$/, 'is no turn id'),
  EVENKEEL_TURN_DIR: z.string('is missing').refine(isAbsolute, 'must be an absolute path'),
  EVENKEEL_TICKET: z.string('is missing').min(1, 'is empty'),
  EVENKEEL_COOKIE: z.string('is missing').min(16, 'is too short to be told apart'),
  EVENKEEL_TURN_API: z
    .string('is missing')
    .refine((text) => isAbsolute(text) || keepsSecrets(text), 'must be an https address or an absolute path'),
  EVENKEEL_OUTPUT: z.enum(['logs', 'none'], 'must be logs or none').default('none'),
  EVENKEEL_AGENT_UID: z
    .string()
    .regex(/^[1-9]\d{0,8}$/, 'must be the number of a user other than root')
    .transform(Number)
    .optional(),
  EVENKEEL_PASS: z.string().default(''),
});

/** The same turn, whose agent gets these variables as well; what the deployment gives it stands over what its machine has. */
export function passMore(
  environment: TurnEnvironment,
  variables: Readonly<Record<string, string>>,
): TurnEnvironment {
  return {
    ...environment,
    passed: { ...environment.passed, ...pickVariables(variables, Object.keys(variables)) },
  };
}

/** Names that the turn sets itself, or that must not reach an agent, are not passed on. */
function pickVariables(
  env: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): Readonly<Record<string, string>> {
  const wanted = names
    .map((name) => name.trim())
    .filter((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !name.startsWith('EVENKEEL_'));
  return Object.fromEntries(
    wanted.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const])),
  );
}
