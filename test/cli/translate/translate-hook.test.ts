import { describe, expect, test } from 'vitest';
import { agentCommand } from '../../../lib/cli/translate/agent-command.ts';
import { readGitWork, translateHook } from '../../../lib/cli/translate/translate-hook.ts';

describe('of a hook', () => {
  test('everything stays where it does no git work', () => {
    const script = 'npm ci\nif [ -f x ]; then\n  make x\nfi\n';
    expect(translateHook(script)).toEqual({ script, says: undefined });
  });

  test('lines with git work go, and the others stay', () => {
    const { script, says } = translateHook(
      'git clone --depth 1 git@example.org:acme/web.git .\nnpm ci\ngit -C . fetch origin main && git checkout -B x || true\n',
    );
    expect(script).toBe('npm ci\n');
    expect(says).toMatch(/^its lines with git were left out: evenkeel checks the issue's branch out/);
  });

  test.each([
    [
      'nothing else is done',
      'set -eu\nrepo=/srv/web\n# Get it.\ngit clone "$repo" .\n',
      /^it was left out: evenkeel/,
    ],
    [
      'it is part of something',
      'npm ci\nif true; then\n  git push\nfi',
      /git work among other things.*written anew/,
    ],
    ['a line does more', 'git fetch && npm ci', /git work among other things/],
    ['a line goes on', 'git fetch \\\n  origin\nnpm ci', /git work among other things/],
  ])('nothing stays where %s', (_, script, says) => {
    expect(translateHook(script)).toEqual({ script: undefined, says: expect.stringMatching(says) });
  });

  test('variables are named that nobody sets', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: of a shell
    const { says } = translateHook('echo "${SORTIE_ISSUE_ID} $SORTIE_WORKSPACE $HOME"');
    expect(says).toBe('it uses variables that evenkeel does not set (SORTIE_ISSUE_ID, SORTIE_WORKSPACE)');
  });
});

describe('repository and base', () => {
  test.each<readonly [string, string | undefined, string | undefined]>([
    ['git clone --depth 1 git@github.com:acme/web.git .', 'git@github.com:acme/web.git', undefined],
    ['git clone --branch trunk "https://github.com/acme/web" .', 'https://github.com/acme/web', 'trunk'],
    [
      'git clone https://robot:secret@github.com/acme/web.git .',
      'https://github.com/acme/web.git',
      undefined,
    ],
    ['git fetch origin\ngit checkout -B "x/$KEY" origin/release/2', undefined, 'release/2'],
    ['git clone "$REPO_URL" .', undefined, undefined],
    ['npm ci', undefined, undefined],
  ])('of %j', (script, repository, base) => {
    expect(readGitWork([script])).toEqual({ repository, base });
  });
});

describe('the shell line of an agent', () => {
  test.each([
    ['claude-code', undefined, {}, 'claude -p', []],
    [
      'claude-code',
      '/opt/claude',
      {
        permission_mode: 'acceptEdits',
        model: 'a-model',
        max_turns: 50,
        allowed_tools: ['Read', 'Bash(git *)'],
        colour: 1,
      },
      "/opt/claude -p --permission-mode acceptEdits --model a-model --max-turns 50 --allowedTools 'Read,Bash(git *)'",
      ['colour'],
    ],
    [
      'codex',
      'codex --profile work app-server --listen stdio',
      { command: 'x', approval_policy: 'never', thread_sandbox: 'workspace-write', reasoning_effort: 'high' },
      `codex --profile work exec --sandbox workspace-write -c 'model_reasoning_effort="high"' -`,
      [],
    ],
    ['kiro', undefined, {}, 'kiro-cli chat --no-interactive --trust-all-tools "$(cat)"', []],
    ['http', 'x', { url: 'y' }, undefined, ['url']],
    ['toString', undefined, {}, undefined, []],
  ])('%s %s', (kind, program, section, command, without) => {
    expect(agentCommand(kind, program, section)).toEqual({ command, without });
  });
});
