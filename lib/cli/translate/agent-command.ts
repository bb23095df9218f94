/** How a program of an agent is run for one turn: the prompt on its standard input, nobody to answer it. */
interface Program {
  readonly name: string;
  /** What comes behind the program, before its options. */
  readonly words: string;
  readonly end?: string;
  /** Keys of its section in the file, and the options that they are. */
  readonly options: Readonly<Record<string, (value: string) => string>>;
  /** Keys that such a run has no need of. */
  readonly needless?: readonly string[];
}

const option = (name: string) => (value: string) => `${name} ${quote(value)}`;

const programs: Readonly<Record<string, Program>> = {
  'claude-code': {
    name: 'claude',
    words: '-p',
    options: {
      permission_mode: option('--permission-mode'),
      model: option('--model'),
      fallback_model: option('--fallback-model'),
      max_turns: option('--max-turns'),
      max_budget_usd: option('--max-budget-usd'),
      allowed_tools: option('--allowedTools'),
      disallowed_tools: option('--disallowedTools'),
      system_prompt: option('--append-system-prompt'),
      mcp_config: option('--mcp-config'),
    },
  },
  codex: {
    name: 'codex',
    words: 'exec',
    end: '-',
    options: {
      model: option('--model'),
      thread_sandbox: option('--sandbox'),
      sandbox: option('--sandbox'),
      reasoning_effort: (value) => `-c ${quote(`model_reasoning_effort="${value}"`)}`,
      service_tier: (value) => `-c ${quote(`service_tier="${value}"`)}`,
    },
    needless: ['command', 'approval_policy', 'turn_sandbox_policy', 'read_timeout_ms'],
  },
  'copilot-cli': {
    name: 'copilot',
    words: '--allow-all --no-ask-user',
    options: { model: option('--model') },
  },
  opencode: { name: 'opencode', words: 'run', options: { model: option('--model') } },
  gemini: { name: 'gemini', words: '--yolo', options: { model: option('--model') } },
  kiro: {
    name: 'kiro-cli',
    words: 'chat --no-interactive --trust-all-tools',
    end: '"$(cat)"',
    options: { model: option('--model') },
  },
};

export interface AgentCommand {
  /** Undefined for an agent that is not known here. */
  readonly command: string | undefined;
  /** Keys of the section that have no option. */
  readonly without: readonly string[];
}

/** The shell line for an agent of another system, from its kind, its program and its own section. */
export function agentCommand(
  kind: string,
  program: string | undefined,
  section: Readonly<Record<string, unknown>>,
): AgentCommand {
  const known = Object.hasOwn(programs, kind) ? programs[kind] : undefined;
  const keys = Object.keys(section);
  if (known === undefined) return { command: undefined, without: keys };
  const { name, words, end, options, needless = [] } = known;
  const found = keys.flatMap((key) => {
    const make = Object.hasOwn(options, key) ? options[key] : undefined;
    const value = asText(section[key]);
    return make === undefined || value === undefined ? [] : [{ key, text: make(value) }];
  });
  // What follows is a protocol that the other system speaks with it, which a turn does not.
  const begin = (program ?? name).split(/\s+app-server\b/)[0]!.trim();
  return {
    command: [begin, words, ...found.map(({ text }) => text), end]
      .filter((part) => part !== undefined)
      .join(' '),
    without: keys.filter((key) => !needless.includes(key) && !found.some((one) => one.key === key)),
  };
}

function asText(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

/** For a POSIX shell. */
function quote(text: string): string {
  return /^[\w./:@,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
