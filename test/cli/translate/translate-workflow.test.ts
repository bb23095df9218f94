import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Stated, translateWorkflow } from '../../../lib/cli/translate/translate-workflow.ts';
import { readFrontMatter } from '../../../lib/core/front-matter.ts';
import { parseWorkflow } from '../../../lib/core/workflow.ts';

function translate(text: string, stated?: Stated) {
  const read = readFrontMatter(text, 'it');
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  return translateWorkflow(read, stated);
}
const file = (name: string) => readFileSync(new URL(`files/${name}.md`, import.meta.url), 'utf8');
const keysOf = ({ notes }: ReturnType<typeof translate>) => notes.map(({ key }) => key);
const said = ({ notes }: ReturnType<typeof translate>, of: string) =>
  notes
    .filter(({ key }) => key === of)
    .map(({ says }) => says)
    .join('\n');

/** A small file: keys of the tracker, and whatever is added. */
const small = (tracker: string, more = '', body = 'Work.') =>
  `---\ntracker:\n  kind: github\n  project: acme/web\n${tracker}${more}---\n${body}\n`;
const front = (text: string, stated?: Stated) => {
  const translated = translate(text, stated);
  const read = readFrontMatter(translated.text, 'it');
  if ('problems' in read) throw new Error(translated.text);
  return { ...translated, values: read.values as Record<string, Record<string, unknown>> };
};

describe('a file of Sortie', () => {
  test('becomes one that holds its own rules, with everything that has a counterpart', () => {
    const parsed = parseWorkflow(translate(file('sortie')).text, 'it');
    expect(parsed).toMatchObject({
      workflow: {
        tracker: {
          kind: 'github',
          project: 'acme/web',
          required_labels: ['agent', 'good to go'],
          active_states: ['todo', 'in-progress'],
          in_progress_state: 'in-progress',
          handoff_state: 'review',
          terminal_states: ['done', 'rejected'],
        },
        repository: 'acme/web',
        base: 'main',
        agent: {
          kind: 'command',
          command: 'claude -p --permission-mode acceptEdits --model a-model --max-budget-usd 5',
          max_turns: 5,
          max_concurrent_agents: 2,
          turn_timeout_ms: 1_800_000,
          stall_timeout_ms: 300_000,
          max_retry_backoff_ms: 120_000,
          budget: { tokens_per_issue: 2_000_000 },
        },
        hooks: { after_create: 'make deps', after_run: 'make fmt || true', timeout_ms: 120_000 },
        verify: ['make lint', 'make test'],
      },
    });
  });

  test('names every key that has none, and says what to do', () => {
    expect(keysOf(translate(file('sortie')))).toEqual([
      'tracker.api_key',
      'tracker.query_filter',
      'polling.interval_ms',
      'workspace.root',
      'workspace.retention_days',
      'agent.max_turns',
      'agent.max_sessions',
      'agent.read_timeout_ms',
      'self_review.max_iterations',
      'self_review.verification_commands',
      'reactions.ci_failure',
      'db_path',
      'hooks.after_create',
      'hooks.before_run',
      'hooks.after_run',
      'agent.kind',
      'claude-code.session_persistence',
      'line 35: run.is_continuation',
      'line 38: run.turn_number',
      'line 40: run.is_continuation',
    ]);
  });

  test('shows no secret that stands in it, and says that it is there', () => {
    const translated = translate(file('sortie'));
    expect(JSON.stringify(translated)).not.toContain('ghp_doNotShowThis');
    expect(said(translated, 'tracker.api_key')).toMatch(/there is a secret in that file/);
  });
});

describe('a file of Symphony', () => {
  test('keeps what it says, with its states, the repository of its hook and a command', () => {
    expect(front(file('symphony')).values).toEqual({
      tracker: {
        kind: 'linear',
        active_states: ['Todo', 'In Progress', 'Rework'],
        in_progress_state: 'In Progress',
        handoff_state: null,
        terminal_states: ['Done', 'Cancelled', 'Duplicate'],
      },
      repository: 'git@github.com:acme/payments.git',
      base: 'trunk',
      agent: {
        kind: 'command',
        command:
          'codex --config shell_environment_policy.inherit=all exec --model a-model --sandbox workspace-write -',
        max_concurrent_agents: 6,
        max_concurrent_agents_by_state: { Todo: 2 },
        max_turns: 12,
        turn_timeout_ms: 1_800_000,
      },
      hooks: { after_create: 'npm ci\n', timeout_ms: 120_000 },
    });
  });

  test('names what has no counterpart, in the file and in the prompt, by the lines of the new file', () => {
    const translated = translate(file('symphony'));
    const lines = translated.text.split('\n');
    const inPrompt = translated.notes.flatMap(({ key }) => /^line (\d+): (.*)$/.exec(key)?.slice(1) ?? []);
    expect(inPrompt).toEqual([
      expect.any(String),
      'issue.branch_name',
      expect.any(String),
      'issue.blocked_by',
    ]);
    expect(lines[Number(inPrompt[0]) - 1]).toContain('issue.branch_name');
    expect(lines[Number(inPrompt[2]) - 1]).toContain('issue.blocked_by');
    for (const key of [
      'tracker.project_slug',
      'codex.stall_timeout_ms',
      'server.port',
      'tracker.handoff_state',
    ])
      expect(keysOf(translated)).toContain(key);
    expect(said(translated, 'tracker.kind')).toMatch(/not built yet/);
    expect(said(translated, 'tracker.api_key')).not.toMatch(/secret/);
  });

  test('becomes whole with what a person states', () => {
    const body = file('symphony')
      .replace(/\{\{ issue\.branch_name \}\}/, 'it')
      .replace(/\{% for[\s\S]*endfor %\}/, '');
    const stated = {
      kind: 'github-project',
      project: 'acme/7',
      handoff: 'Human Review',
      repository: 'acme/payments',
    };
    const translated = translate(body, stated);
    expect(parseWorkflow(translated.text, 'it')).toMatchObject({
      workflow: {
        tracker: { kind: 'github-project', project: 'acme/7', handoff_state: 'Human Review' },
        repository: 'acme/payments',
      },
    });
    for (const key of ['tracker.kind', 'tracker.handoff_state', 'repository'])
      expect(keysOf(translated)).not.toContain(key);
  });

  test.each(['github', 'github-project', 'local'])(
    'says nothing of Linear where a person states a board of kind %s',
    (kind) => {
      const translated = translate(file('symphony'), {
        kind,
        project: 'acme/7',
        repository: 'acme/payments',
      });
      expect(JSON.stringify(translated)).not.toMatch(/linear/i);
    },
  );

  test('has its board at the stated repository where its kind is stated as github', () => {
    const stated = { kind: 'github', repository: 'acme/payments' };
    const translated = front(file('symphony'), stated);
    expect(translated.values.tracker).toMatchObject({ kind: 'github', project: 'acme/payments' });
    expect(keysOf(translated)).not.toContain('tracker.project');
    const elsewhere = front(file('symphony'), { ...stated, project: 'acme/board' });
    expect(elsewhere.values.tracker).toMatchObject({ project: 'acme/board' });
    for (const other of [
      { kind: 'github-project', repository: 'acme/payments' },
      { kind: 'github', repository: 'git@git.example.org:acme/payments.git' },
    ])
      expect(front(file('symphony'), other).values.tracker).not.toHaveProperty('project');
  });

  test('gives the place of its board to no board of another kind, and says so', () => {
    const linear =
      '---\ntracker:\n  kind: linear\n  project: ENG\n  endpoint: https://linear.example.com\n---\nWork.\n';
    const translated = front(linear, { kind: 'github-project' });
    expect(translated.values.tracker).not.toHaveProperty('project');
    expect(translated.values.tracker).not.toHaveProperty('endpoint');
    for (const key of ['tracker.project', 'tracker.endpoint'])
      expect(said(translated, key)).toMatch(
        /is that of a board of kind linear, and this one is github-project/,
      );
    const hosted = small('  endpoint: https://github.example.com/api\n');
    expect(front(hosted, { kind: 'github-project', project: 'acme/7' }).values.tracker).toMatchObject({
      endpoint: 'https://github.example.com/api',
    });
    expect(front(hosted, { kind: 'github' }).values.tracker).toMatchObject({ project: 'acme/web' });
  });
});

describe('of single keys', () => {
  test.each<readonly [string, string, Record<string, unknown>]>([
    [
      'settings of a tracker one level below',
      '  provider: { endpoint: https://github.example.com/api }\n',
      { endpoint: 'https://github.example.com/api' },
    ],
    ["a vendor's own address, which needs no word", '  endpoint: https://api.github.com\n', {}],
    ['states as one text', '  active_states: todo, doing\n', { active_states: ['todo', 'doing'] }],
    ['a filter that is more than labels', '  query_filter: label:x assignee:me\n', {}],
    ['no hand-off, in words of ours', '  handoff_state: null\n', { handoff_state: null }],
  ])('%s', (_, tracker, expected) => {
    const { values } = front(small(tracker));
    const { kind, project, in_progress_state, handoff_state, ...rest } = values.tracker!;
    expect({ ...rest, ...('handoff_state' in expected ? { handoff_state } : {}) }).toEqual(expected);
  });

  test('numbers that are off there and have a range here are left out', () => {
    const agent = 'agent:\n  kind: claude-code\n  max_tokens: 0\n  stall_timeout_ms: -1\n';
    const translated = front(small('', `${agent}hooks:\n  timeout_ms: 0\n`));
    expect(Object.keys(translated.values.agent!)).toEqual(['kind', 'command']);
    expect(translated.values.hooks).toBeUndefined();
    expect(keysOf(translated)).toContain('agent.stall_timeout_ms');
  });

  test('a review that is off is no gate', () => {
    const review = (is: boolean) => `self_review:\n  enabled: ${is}\n  verification_commands: [make]\n`;
    expect(front(small('', review(false))).values.verify).toBeUndefined();
    expect(front(small('', review(true))).values.verify).toEqual(['make']);
  });

  test('a value from a variable stays, and is named', () => {
    const translated = translate('---\ntracker:\n  kind: github\n  project: $BOARD\n---\nWork.\n');
    expect(said(translated, 'tracker.project')).toMatch(/takes its value from a variable \(\$BOARD\)/);
  });

  test.each([
    ['an agent that is not known', 'agent:\n  kind: http\n', 'agent.kind', /no way to run http.*--agent/],
    ['a board of another kind', '', 'tracker.kind', /no boards of the kind jira/],
    ['a key that nobody knows', 'colour: blue\n', 'colour', /evenkeel has no such key/],
  ])('%s is named', (_, more, key, says) => {
    const text = small('', more).replace(
      'kind: github',
      key === 'tracker.kind' ? 'kind: jira' : 'kind: github',
    );
    expect(said(translate(text), key)).toMatch(says);
  });

  test('another repository than the board is taken from the hook, and the same one is not', () => {
    const hook = (name: string) => `hooks:\n  after_create: git clone git@github.com:${name}.git .\n`;
    expect(front(small('', hook('acme/web'))).values.repository).toBeUndefined();
    expect(front(small('', hook('acme/other'))).values.repository).toBe('git@github.com:acme/other.git');
  });

  test('what is a file of ours already stays as it is', () => {
    const ours = small(
      '  active_states: [todo]\n  in_progress_state: null\n  handoff_state: look\n  terminal_states: [done]\n',
      'base: trunk\nagent: { kind: command, command: cat, budget: { usd_per_day: 5 } }\nverify: [make]\ndeny_paths: [a/**]\n',
    );
    const translated = translate(ours);
    expect(translated.notes).toEqual([]);
    const [was, is] = [ours, translated.text].map((text) => parseWorkflow(text, 'it'));
    const plain = (one: typeof was) => ('workflow' in one! ? { ...one.workflow, policyHash: '' } : one);
    expect(plain(is)).toEqual(plain(was));
  });
});
