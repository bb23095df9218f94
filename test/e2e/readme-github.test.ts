import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { IssueId } from '../../lib/core/issue.ts';
import { branchName } from '../../lib/core/names.ts';
import { type CodeHost, makeCodeHost } from '../support/code-host.ts';
import { type GitHubAppServer, githubAppServer } from '../support/github/github-app-server.ts';
import { githubPerson } from '../support/github/github-person.ts';
import { type GitHubServer, githubServer } from '../support/github/github-server.ts';
import { evenkeel } from '../support/run-cli.ts';

/**
 * What README tells a newcomer to type for a board at GitHub, in its order and as it stands, on a machine where GitHub is the
 * test's server. There, `gh` and the agent are stand-ins, and evenkeel is told where GitHub is, and to end when it is idle.
 */

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const [, section = ''] = /\n## A board at GitHub\n(.*?)\n## /s.exec(readme) ?? [];
const blocks = (language: string) =>
  [...section.matchAll(/```(\w*)\n(.*?)```/gs)].flatMap(([, of, text]) => (of === language ? text! : []));

const boardToken = 'github_pat_board';
const gitToken = 'github_pat_git';
let dir: string;
let github: GitHubServer;
let front: GitHubAppServer;
let code: CodeHost;
let gh: Server;
beforeEach(async () => {
  dir = realpathSync(await mkdtemp(join(tmpdir(), 'readme-')));
  code = makeCodeHost(dir);
  code.push('main', { 'README.md': 'A repository to work on.\n' });
  github = await githubServer();
  front = await githubAppServer({ github, repository: code.address });
  front.tokens.set(boardToken, { repositories: ['web'], permissions: { issues: 'write' } });
  front.tokens.set(gitToken, {
    repositories: ['web'],
    permissions: { contents: 'write', pull_requests: 'write' },
  });
  gh = createServer(async (request, response) => {
    const problem = actAsGh(JSON.parse(await text(request)) as string[]);
    response.writeHead(problem === undefined ? 200 : 422).end(problem);
  });
  gh.listen(0, '127.0.0.1');
  await once(gh, 'listening');
});
afterEach(async () => {
  gh.closeAllConnections();
  gh.close();
  await front.close();
  await github.close();
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
});

/** What `gh` is used for here; undefined where it was done. */
function actAsGh(args: readonly string[]): string | undefined {
  const [topic, verb, name = '', ...options] = args;
  const repository = github.state.repository('acme/web');
  if (options[0] !== '--repo' || options[1] !== 'acme/web') return `not of acme/web: ${args.join(' ')}`;
  if (`${topic} ${verb}` === 'label create') return void github.state.label(repository, name);
  const issue = repository.issues.find(({ number }) => number === Number(name));
  if (`${topic} ${verb}` !== 'issue edit' || issue === undefined || options[2] !== '--add-label')
    return `not understood: ${args.join(' ')}`;
  githubPerson(github.state, 'alice').label(issue, options[3]!);
  return undefined;
}

/** The programs that the commands call. */
function layPrograms(): string {
  const bin = join(dir, 'bin');
  mkdirSync(bin);
  const lay = (name: string, lines: readonly string[]) => {
    writeFileSync(join(bin, name), `${lines.join('\n')}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  const port = (gh.address() as AddressInfo).port;
  const address = `${new URL(front.endpoint).origin}/acme/web.git`;
  lay('npm', ['#!/bin/sh', 'exit 0']);
  lay('gh', [
    `#!${process.execPath}`,
    `fetch('http://127.0.0.1:${port}', { method: 'POST', body: JSON.stringify(process.argv.slice(2)) })`,
    '  .then(async (answer) => { console.error(await answer.text()); process.exitCode = answer.ok ? 0 : 1; });',
  ]);
  lay('claude', [
    '#!/bin/sh',
    `env > ${dir}/environment`,
    `echo "$@" > ${dir}/arguments`,
    'cat > prompt.txt',
    'git add . && git commit --quiet --message "Work"',
  ]);
  lay('evenkeel', [
    '#!/bin/sh',
    'command="$1"; shift',
    'case "$command" in',
    `init) set -- "$@" --project acme/web --repo ${address} --endpoint ${front.endpoint} ;;`,
    'start) set -- "$@" --until-idle --interval 2 --log-format text ;;',
    'esac',
    `exec "${process.execPath}" "${evenkeel}" "$command" "$@"`,
  ]);
  return bin;
}

/** Runs all of them in one shell, which ends at the first that fails. */
async function follow(commands: string) {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', commands], {
    cwd: dir,
    env: { PATH: `${layPrograms()}:${process.env.PATH}`, HOME: dir, ANTHROPIC_API_KEY: 'sk-model' },
    timeout: 120_000,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [exit]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { exit, stdout, stderr };
}

/** The story's lines without times and texts: of whom, and what. */
function stepsOf(story: string): readonly string[] {
  return [...story.matchAll(/^\d\d:\d\d:\d\d {2}(\S+) +(\S+(?: \S+)?) {2,}/gm)].map(
    ([, subject, word]) => `${subject} ${word}`,
  );
}

test('who types what README says about GitHub gets from a repository and two tokens to an issue in review', async () => {
  const repository = github.state.repository('acme/web', ['bug']);
  github.serveCode(repository, code);
  github.state.web = new URL(front.endpoint).origin;
  const alice = githubPerson(github.state, 'alice', { 'acme/web': 'write' });
  const issue = github.state.addIssue(repository, alice.account, { title: 'Mend it', body: 'It creaks.' });
  const commands = blocks('sh')
    .join('\n')
    .replace('GITHUB_TOKEN=github_pat_…', `GITHUB_TOKEN=${boardToken}`)
    .replace('GIT_TOKEN=github_pat_…', `GIT_TOKEN=${gitToken}`);

  const { exit, stdout, stderr } = await follow(commands);

  expect(exit, `${stdout}\n${stderr}`).toBe(0);
  expect(issue.labels.map(({ name }) => name)).toEqual(['in review']);
  expect(issue.comments).toHaveLength(1);
  expect(code.read(branchName(issue.id as IssueId), 'prompt.txt')).toContain('web#1: Mend it');
  expect(github.state.pulls.all).toMatchObject([{ title: 'Mend it', state: 'OPEN' }]);
  expect(stdout).toMatch(/^valid {4}WORKFLOW\.md/m);
  expect(stdout).toMatch(/^ {2}web#1 +start +start/m);
  expect(readFileSync(join(dir, 'arguments'), 'utf8')).toBe('-p --permission-mode acceptEdits\n');
  const environment = readFileSync(join(dir, 'environment'), 'utf8');
  expect(environment).toContain('ANTHROPIC_API_KEY=sk-model');
  expect(environment + stdout + stderr).not.toMatch(new RegExp(`${boardToken}|${gitToken}`));
  expect([...front.reachedGit]).toEqual([gitToken]);

  const [shown = ''] = blocks('').filter((block) => block.startsWith('evenkeel keeps'));
  expect(stepsOf(stderr)).toEqual(stepsOf(shown));
  const isHead = (line: string) => /^( {2}\S|evenkeel keeps)/.test(line);
  const here = (line: string) =>
    line
      .replaceAll('https://github.com/', `${new URL(front.endpoint).origin}/`)
      .replace(/every \d+ s/, 'every 60 s')
      .replace(/127\.0\.0\.1:\d+/g, 'HOST')
      .replaceAll('https://HOST', 'http://HOST');
  expect(stderr.split('\n').filter(isHead).map(here)).toEqual(shown.split('\n').filter(isHead).map(here));
}, 150_000);
