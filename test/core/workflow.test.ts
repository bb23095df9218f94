import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { frozenWorkflowSchema } from '../../lib/core/frozen-workflow.ts';
import { parseWorkflow, type Workflow } from '../../lib/core/workflow.ts';

type Fields = { readonly [name: string]: unknown };
const board = { kind: 'local', project: 'board' };
const minimal = { tracker: board, repository: 'repository.git' };

const write = (values: Fields, body = 'Do {{ issue.key }}.\n') => `---\n${stringify(values)}---\n${body}`;
const parse = (values: Fields, body?: string) => parseWorkflow(write(values, body), 'WORKFLOW.md');

function workflowOf(values: Fields): Workflow {
  const answer = parse(values);
  if ('problems' in answer) throw new Error(JSON.stringify(answer.problems));
  return answer.workflow;
}

function problemsOf(values: Fields, body?: string) {
  const answer = parse(values, body);
  return 'problems' in answer ? answer.problems : [];
}

const messagesOf = (values: Fields, body?: string) => problemsOf(values, body).map(({ message }) => message);

/** The minimal front matter with one field of it, named by its path, set to a value. */
function withField(path: string, value: unknown): Fields {
  const set = (at: unknown, [name, ...rest]: readonly string[]): unknown =>
    name === undefined
      ? value
      : { ...(at as Fields | undefined), [name]: set((at as Fields | undefined)?.[name], rest) };
  return set(minimal, path.split('.')) as Fields;
}

const fieldOf = (workflow: Workflow, path: string) =>
  path.split('.').reduce<unknown>((at, name) => (at as Fields | undefined)?.[name], workflow);

describe('a workflow file', () => {
  test('with nothing but what is needed has every default', () => {
    const text = write(minimal);
    expect(parseWorkflow(text, 'WORKFLOW.md')).toEqual({
      workflow: {
        tracker: {
          kind: 'local',
          project: 'board',
          active_states: ['todo', 'in progress'],
          in_progress_state: 'in progress',
          handoff_state: 'in review',
          terminal_states: ['done'],
          trusted_actors: 'write',
        },
        repository: 'repository.git',
        base: 'main',
        agent: {
          kind: 'claude-code',
          max_concurrent_agents: 4,
          max_concurrent_agents_by_state: {},
          max_failures: 3,
          max_turns: 20,
          max_no_progress: 2,
          max_retry_backoff_ms: 300_000,
          turn_timeout_ms: 3_600_000,
          stall_timeout_ms: 600_000,
          task: { cpu: 1_024, memory: 4_096, spot: false, disk_gib: 21 },
        },
        hooks: { timeout_ms: 300_000 },
        verify: [],
        pull_request: { open: true, draft: true, closing_keyword: false },
        deny_paths: ['.github/workflows/**'],
        prompt: 'Do {{ issue.key }}.\n',
        policyHash: createHash('sha256').update(text).digest('hex').slice(0, 16),
      },
    });
  });

  test('keeps every key that it sets', () => {
    const values = {
      tracker: {
        kind: 'github',
        project: 'acme/web',
        endpoint: 'https://github.example.com/api',
        active_states: ['Ready', 'Doing'],
        in_progress_state: 'Doing',
        handoff_state: 'Review',
        terminal_states: ['Shipped', 'Dropped'],
        merged_state: 'Shipped',
        required_labels: ['agent'],
        trusted_actors: ['alice'],
      },
      repository: 'acme/other',
      base: 'trunk',
      agent: {
        kind: 'command',
        command: 'sh agent.sh',
        max_concurrent_agents: 1,
        max_concurrent_agents_by_state: { ready: 1 },
        max_in_handoff: 5,
        max_failures: 4,
        max_turns: 6,
        max_no_progress: 7,
        max_retry_backoff_ms: 8,
        turn_timeout_ms: 9_000,
        stall_timeout_ms: 10_000,
        budget: { usd_per_issue: 1.5, usd_per_day: 2.5, tokens_per_issue: 3 },
        task: { cpu: 256, memory: 512, spot: true, disk_gib: 30 },
      },
      hooks: { after_create: 'a', before_run: 'b', after_run: 'c', timeout_ms: 1_000 },
      verify: ['npm test'],
      pull_request: { open: false, draft: false, closing_keyword: true },
      deny_paths: ['secrets/**'],
    };
    expect(workflowOf(values)).toMatchObject(values);
  });

  test('is another policy when a single character of it differs', () => {
    const hashes = [write(minimal), write(minimal, 'Do {{ issue.key }}!\n'), `${write(minimal)}\n`].map(
      (text) => {
        const answer = parseWorkflow(text, 'WORKFLOW.md');
        return 'workflow' in answer && answer.workflow.policyHash;
      },
    );
    expect(new Set(hashes).size).toBe(3);
    for (const hash of hashes) expect(hash).toMatch(/^[0-9a-f]{16}$/);
  });

  test('reads the same again from where it was kept beside a turn', () => {
    for (const tracker of [board, { ...board, in_progress_state: null, handoff_state: null }]) {
      const workflow = workflowOf({ ...minimal, tracker });
      expect(frozenWorkflowSchema.parse(JSON.parse(JSON.stringify(workflow)))).toEqual(workflow);
    }
  });

  test('of a repository works in that repository', () => {
    expect(workflowOf({ tracker: { kind: 'github', project: 'acme/web' } }).repository).toBe('acme/web');
  });
});

describe('the optional states', () => {
  test.each<
    readonly [what: string, tracker: Fields, inProgress: string | undefined, handoff: string | undefined]
  >([
    ['left out', {}, 'in progress', 'in review'],
    [
      'left out where in progress is written in another way',
      { active_states: ['Todo', ' In Progress'] },
      'In Progress',
      'in review',
    ],
    ['left out where in progress is not active', { active_states: ['ready'] }, undefined, 'in review'],
    ['null', { in_progress_state: null, handoff_state: null }, undefined, undefined],
    ['named', { in_progress_state: 'todo', handoff_state: ' Check ' }, 'todo', 'Check'],
  ])('are settled when %s', (_, tracker, inProgress, handoff) => {
    const settled = workflowOf({ ...minimal, tracker: { ...board, ...tracker } }).tracker;
    expect(settled.in_progress_state).toBe(inProgress);
    expect(settled.handoff_state).toBe(handoff);
  });
});

describe('a number', () => {
  const ranges: readonly (readonly [path: string, min: number, max: number])[] = [
    ['agent.max_concurrent_agents', 0, 1_000],
    ['agent.max_concurrent_agents_by_state.todo', 0, 1_000],
    ['agent.max_in_handoff', 0, 1_000],
    ['agent.max_failures', 1, 100],
    ['agent.max_turns', 1, 1_000],
    ['agent.max_no_progress', 1, 100],
    ['agent.max_retry_backoff_ms', 0, 86_400_000],
    ['agent.turn_timeout_ms', 1_000, 21_000_000],
    ['agent.stall_timeout_ms', 1_000, 21_000_000],
    ['agent.budget.tokens_per_issue', 0, 1_000_000_000_000],
    ['agent.task.cpu', 256, 16_384],
    ['agent.task.memory', 512, 122_880],
    ['agent.task.disk_gib', 21, 200],
    ['hooks.timeout_ms', 1_000, 3_600_000],
  ];

  test.each(ranges)('%s goes from %i to %i', (path, min, max) => {
    for (const value of [min, max]) expect(fieldOf(workflowOf(withField(path, value)), path)).toBe(value);
    for (const value of [min - 1, max + 1, min + 0.5, -1, String(min), null, true]) {
      const shown = typeof value === 'string' ? `"${value}"` : String(value);
      expect(problemsOf(withField(path, value))).toEqual([
        {
          rule: 'value',
          path,
          message: `${path} must be a whole number from ${min} to ${max}; it is ${shown}`,
        },
      ]);
    }
  });

  test.each(['usd_per_issue', 'usd_per_day'])(
    'agent.budget.%s may be a fraction from 0 to 1000000',
    (name) => {
      const path = `agent.budget.${name}`;
      for (const value of [0, 0.01, 1_000_000])
        expect(fieldOf(workflowOf(withField(path, value)), path)).toBe(value);
      for (const value of [-0.01, 1_000_000.01, '1']) {
        expect(messagesOf(withField(path, value))).toEqual([
          `${path} must be a number from 0 to 1000000; it is ${typeof value === 'string' ? '"1"' : value}`,
        ]);
      }
    },
  );

  test('that is no number is refused', () => {
    const text = write(minimal).replace(
      'repository:',
      'agent: {max_turns: .nan, max_failures: .inf}\nrepository:',
    );
    const answer = parseWorkflow(text, 'WORKFLOW.md');
    expect('problems' in answer && answer.problems.map(({ message }) => message)).toEqual([
      'agent.max_failures must be a whole number from 1 to 100; it is Infinity',
      'agent.max_turns must be a whole number from 1 to 1000; it is NaN',
    ]);
  });
});

describe('a value of the wrong kind is refused with what it may be', () => {
  const agents = 'one of claude-code, codex, copilot, gemini, opencode, command';
  test.each<readonly [path: string, value: unknown, message: string]>([
    ['tracker.kind', 'gitlab', 'must be one of github, github-project, linear, local; it is "gitlab"'],
    ['tracker.project', ' ', 'must be a text that is not blank; it is " "'],
    ['tracker.endpoint', 'file:///etc', 'must be an http or https address; it is "file:///etc"'],
    ['tracker.endpoint', 'shttp://a.example', 'must be an http or https address; it is "shttp://a.example"'],
    [
      'tracker.endpoint',
      'httpsx://a.example',
      'must be an http or https address; it is "httpsx://a.example"',
    ],
    ['tracker.endpoint', 'nowhere', 'must be an http or https address; it is "nowhere"'],
    ['tracker.active_states', 'todo', 'must be a list of texts; it is "todo"'],
    ['tracker.in_progress_state', 3, 'must be a text, or null; it is 3'],
    ['tracker.handoff_state', ['a'], 'must be a text, or null; it is a list'],
    ['tracker.merged_state', null, 'must be a text; it is null'],
    ['tracker.required_labels', ['a', 'b', ''], '[2] must be a text that is not blank; it is ""'],
    [
      'tracker.trusted_actors',
      'nobody',
      'must be one of write, anyone, or a list of at least one text; it is "nobody"',
    ],
    [
      'tracker.trusted_actors',
      [],
      'must be one of write, anyone, or a list of at least one text; it is a list',
    ],
    ['tracker.trusted_actors', ['alice', ' '], '[1] must be a text that is not blank; it is " "'],
    ['base', { a: 1 }, 'must be a text that is not blank; it is a map'],
    ['agent', 'codex', 'must be a map; it is "codex"'],
    ['agent.kind', 'cursor', `must be ${agents}; it is "cursor"`],
    ['agent.command', '', 'must be a text that is not blank; it is ""'],
    [
      'agent.max_concurrent_agents_by_state',
      3,
      'must be a map from names to a whole number from 0 to 1000; it is 3',
    ],
    ['agent.budget', 10, 'must be a map; it is 10'],
    ['agent.task.spot', 'yes', 'must be true or false; it is "yes"'],
    ['hooks', ['a'], 'must be a map; it is a list'],
    ['hooks.before_run', 1, 'must be a text that is not blank; it is 1'],
    ['verify', 'npm test', 'must be a list of texts; it is "npm test"'],
    ['verify', [['a']], '[0] must be a text that is not blank; it is a list'],
    ['pull_request.draft', 0, 'must be true or false; it is 0'],
    ['deny_paths', null, 'must be a list of texts; it is null'],
    ['base', ['x'.repeat(60)], 'must be a text that is not blank; it is a list'],
    ['agent.kind', 'x'.repeat(58), `must be ${agents}; it is "${'x'.repeat(58)}"`],
    ['agent.kind', 'x'.repeat(59), `must be ${agents}; it is "${'x'.repeat(59)}…`],
  ])('%s: %j', (path, value, message) => {
    const field = message.startsWith('[') ? `${path}${message}` : `${path} ${message}`;
    expect(problemsOf(withField(path, value))).toEqual([
      { rule: 'value', path: field.split(' ')[0], message: field },
    ]);
  });

  test.each(['https://a.example', 'http://localhost:8080/api'])(
    'and an address like %s is taken',
    (address) => {
      expect(workflowOf(withField('tracker.endpoint', address)).tracker.endpoint).toBe(address);
    },
  );

  test('and what is missing is told as missing', () => {
    expect(problemsOf({ tracker: {}, repository: 'r' })).toEqual([
      {
        rule: 'required',
        path: 'tracker.kind',
        message: 'tracker.kind is missing; it must be one of github, github-project, linear, local',
      },
      {
        rule: 'required',
        path: 'tracker.project',
        message: 'tracker.project is missing; it must be a text that is not blank',
      },
    ]);
    expect(messagesOf({})).toEqual(['tracker is missing; it must be a map']);
  });
});

describe('an unknown key', () => {
  test.each<readonly [path: string, hint: string]>([
    ['agent.max_concurent_agents', 'did you mean max_concurrent_agents?'],
    ['repositry', 'did you mean repository?'],
    ['tracker.active_state', 'did you mean active_states?'],
    ['tracker.Handoff_State', 'did you mean handoff_state?'],
    ['hooks.before_runs', 'did you mean before_run?'],
    ['pull_request.drafts', 'did you mean draft?'],
    ['agent.budget.usd_per_isue', 'did you mean usd_per_issue?'],
    ['agent.task.cpus', 'did you mean cpu?'],
    // Known, but at another level.
    ['max_turns', 'did you mean agent.max_turns?'],
    ['agent.endpoint', 'did you mean tracker.endpoint?'],
    ['timeout_ms', 'did you mean hooks.timeout_ms?'],
    ['usd_per_day', 'did you mean agent.budget.usd_per_day?'],
    ['budget', 'did you mean agent.budget?'],
    ['kind', 'did you mean tracker.kind or agent.kind?'],
    // Like nothing that is known.
    ['pull_request.xyz', 'known keys here are open, draft, closing_keyword'],
    ['zzz', 'known keys here are tracker, repository, base, agent, hooks, verify, pull_request, deny_paths'],
  ])('%s is refused: %s', (path, hint) => {
    expect(problemsOf(withField(path, 'x'))).toEqual([
      { rule: 'unknown-key', path, message: `unknown key ${path}; ${hint}` },
    ]);
  });

  test('is told for each, at every level', () => {
    const values = { ...minimal, zzz: 1, yyy: 2, tracker: { ...board, xxx: 1 }, agent: { task: { www: 1 } } };
    expect(
      problemsOf(values)
        .map(({ path }) => path)
        .toSorted(),
    ).toEqual(['agent.task.www', 'tracker.xxx', 'yyy', 'zzz']);
  });
});

describe('the rules between fields', () => {
  const command =
    'agent.command is missing: agent.kind command would have nothing to run; give a shell line that reads the prompt on its standard input';

  test('a command agent needs its command', () => {
    expect(problemsOf({ ...minimal, agent: { kind: 'command' } })).toEqual([
      { rule: 'command-needed', path: 'agent.command', message: command },
    ]);
    expect(problemsOf({ ...minimal, agent: { kind: 'command', command: 'sh x' } })).toEqual([]);
    expect(problemsOf({ ...minimal, agent: { kind: 'codex' } })).toEqual([]);
  });

  test.each([
    ['github', 'acme/web', 'acme', 'owner/repo'],
    ['github', 'a.b-c_d/e.f-g_h', 'acme/web/x', 'owner/repo'],
    ['github', 'a/b', 'https://github.com/a/b', 'owner/repo'],
    ['github-project', 'acme/7', 'acme/web', "owner/number, the number from the project's address"],
    ['github-project', 'acme/10', 'acme/07', "owner/number, the number from the project's address"],
    ['github-project', 'a-b/1', 'a/1/b', "owner/number, the number from the project's address"],
    ['linear', 'ENG', 'acme/eng', 'the key of a team, such as ENG'],
    ['linear', 'Eng2', 'ENG-1', 'the key of a team, such as ENG'],
  ])('a board of kind %s is named like %s and not like %s', (kind, project, wrong, words) => {
    expect(problemsOf({ repository: 'r', tracker: { kind, project } })).toEqual([]);
    expect(problemsOf({ repository: 'r', tracker: { kind, project: wrong } })).toEqual([
      {
        rule: 'project-form',
        path: 'tracker.project',
        message: `tracker.project must be ${words} for a board of kind ${kind}; it is "${wrong}"`,
      },
    ]);
  });

  test.each(['.', '../board', '/srv/board', 'a b'])('a local board may be the folder %s', (project) => {
    expect(problemsOf({ repository: 'r', tracker: { kind: 'local', project } })).toEqual([]);
  });

  test.each([
    ['local', 'board'],
    ['linear', 'ENG'],
    ['github-project', 'acme/7'],
  ])('a board of kind %s needs a repository', (kind, project) => {
    expect(problemsOf({ tracker: { kind, project } })).toEqual([
      {
        rule: 'repository-needed',
        path: 'repository',
        message: `repository is missing: a board of kind ${kind} is no repository, so an agent would have nowhere to work; give owner/repo, a URL, or a path relative to this file`,
      },
    ]);
  });

  test('caps by state are of active states, and become state keys', () => {
    const caps = { TODO: 2, ' In progress': 0 };
    expect(
      workflowOf({ ...minimal, agent: { max_concurrent_agents_by_state: caps } }).agent
        .max_concurrent_agents_by_state,
    ).toEqual({ todo: 2, 'in progress': 0 });
    expect(
      problemsOf({ ...minimal, agent: { max_concurrent_agents_by_state: { todo: 1, done: 1 } } }),
    ).toEqual([
      {
        rule: 'cap-of-active',
        path: 'agent.max_concurrent_agents_by_state.done',
        message:
          'agent.max_concurrent_agents_by_state.done caps a state that is not among tracker.active_states (todo, in progress): it would never hold anything back; name one of these',
      },
    ]);
  });

  test('no state is capped twice', () => {
    expect(
      problemsOf({
        ...minimal,
        agent: { max_concurrent_agents_by_state: { todo: 1, 'in progress': 1, Todo: 2 } },
      }),
    ).toEqual([
      {
        rule: 'cap-once',
        path: 'agent.max_concurrent_agents_by_state.Todo',
        message:
          'agent.max_concurrent_agents_by_state.Todo caps a state a second time: names are compared without case; take one of them out',
      },
    ]);
  });

  test('the state contract is checked, with the defaults filled in', () => {
    const tracker = { ...board, active_states: ['Todo', 'In Review'], terminal_states: ['todo'] };
    expect(problemsOf({ ...minimal, tracker }).map(({ rule, path }) => `${rule} at ${path}`)).toEqual([
      'handoff-not-active at tracker.handoff_state',
      'active-terminal-disjoint at tracker.active_states[0]',
    ]);
    expect(
      problemsOf({ ...minimal, tracker: { ...board, active_states: [] } }).map(({ rule }) => rule),
    ).toEqual(['active-not-empty']);
    expect(
      problemsOf({ ...minimal, tracker: { ...board, active_states: ['a', ' '] } }).map(({ rule }) => rule),
    ).toEqual(['names-unique']);
  });
});

describe('all problems come at once', () => {
  test('from the front matter, the contract, the rules and the prompt', () => {
    const values = {
      tracker: { ...board, handoff_state: 'todo', projct: 'x', trusted_actors: 3 },
      agent: { kind: 'command', max_turns: 0, max_concurrent_agents_by_state: { todo: -1, shipping: 1 } },
    };
    expect(problemsOf(values, 'a\n{% if %}').map(({ rule, path }) => `${rule} at ${path}`)).toEqual([
      'value at tracker.trusted_actors',
      'unknown-key at tracker.projct',
      'value at agent.max_concurrent_agents_by_state.todo',
      'value at agent.max_turns',
      'handoff-not-active at tracker.handoff_state',
      'repository-needed at repository',
      'command-needed at agent.command',
      'cap-of-active at agent.max_concurrent_agents_by_state.shipping',
      'prompt at ',
    ]);
  });

  test('and a rule whose own fields are at fault leaves the word to the schema', () => {
    const values = {
      tracker: { kind: 'x', project: 3, active_states: 'todo' },
      agent: { kind: 3, max_concurrent_agents_by_state: 3 },
    };
    expect(problemsOf(values).map(({ rule }) => rule)).toEqual(['value', 'value', 'value', 'value', 'value']);
  });
});

describe('a file that cannot be read as a workflow', () => {
  const fault = (text: string) => {
    const answer = parseWorkflow(text, 'boards/WORKFLOW.md');
    return 'problems' in answer ? answer.problems.map(({ rule, message }) => `${rule}: ${message}`) : [];
  };

  test('says what is missing and how to begin', () => {
    expect(fault('Do it.')[0]).toMatch(
      /^front-matter: boards\/WORKFLOW.md has no front matter: begin it with/,
    );
  });

  test('names the line of a key that stands twice', () => {
    expect(fault('---\ntracker: {}\ntracker: {}\n---\nDo it.')).toEqual([
      'yaml: boards/WORKFLOW.md:3: Map keys must be unique',
    ]);
  });

  test('names the line of a fault in the prompt, and that there is none', () => {
    const front = '---\ntracker: {kind: local, project: b}\nrepository: r\n---\n';
    expect(fault(`${front}\n{% nope %}`)).toEqual([
      'prompt: the prompt template of boards/WORKFLOW.md is not valid: tag "nope" not found (line 6)',
    ]);
    expect(fault(`${front} \n`)).toEqual([
      'prompt: boards/WORKFLOW.md has no prompt: an agent would be told nothing; write it below the front matter',
    ]);
  });

  test('leaves an unknown variable to the turn', () => {
    expect(fault('---\ntracker: {kind: local, project: b}\nrepository: r\n---\n{{ nope }}')).toEqual([]);
  });
});
