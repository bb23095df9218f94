import { existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { IssueId } from '../../../lib/core/issue.ts';
import { type CodeHost, makeCodeHost } from '../../support/code-host.ts';
import { type GitHubPerson, githubPerson } from '../../support/github/github-person.ts';
import { type GitHubServer, githubServer } from '../../support/github/github-server.ts';
import type { Issue } from '../../support/github/github-state.ts';
import { type CliResult, runCli } from '../../support/run-cli.ts';

export type BoardKind = 'github' | 'github-project';

/** An issue on the board, and the id that the board knows it by. */
export interface Card {
  readonly id: IssueId;
  readonly issue: Issue;
}

/** The command line as a process, a board of either kind at a GitHub server, and a bare repository that turns push to. */
export interface GitHubScene {
  readonly dir: string;
  readonly server: GitHubServer;
  readonly alice: GitHubPerson;
  readonly code: CodeHost;
  /** The names of the requests that read issues by their ids, and that move one. */
  readonly operations: { readonly read: string; readonly move: string };
  writeWorkflow(agent: object, tracker?: object, rest?: object): void;
  cli(...args: readonly string[]): Promise<CliResult>;
  /** Holds the host's trace against the promises. */
  checkTrace(): Promise<CliResult>;
  /** A host that goes through whole turns until nothing is left to do, also on a machine that is busy. */
  start(): Promise<CliResult>;
  add(title: string, state: string): Card;
  stateOf(card: Card): string | undefined;
  /** As alice. */
  move(card: Card, to: string): void;
  /** As a person does it in the browser. */
  renameState(from: string, to: string): void;
  /** The lines that agents have written into this file; none where it is not there. */
  linesOf(name: string): readonly string[];
  end(): Promise<void>;
}

const states = ['Backlog', 'Todo', 'In Progress', 'In Review', 'Done'];

/** `hosted`: turns reach the repository where the board is, with a token for git, and have pull requests there. */
export async function makeGitHubScene(kind: BoardKind, hosted?: 'hosted'): Promise<GitHubScene> {
  const dir = realpathSync(await mkdtemp(join(tmpdir(), 'github-')));
  const server = await githubServer({ viewer: { login: 'evenkeel[bot]', kind: 'Bot' } });
  const alice = githubPerson(server.state, 'alice', { 'acme/web': 'write' });
  await mkdir(join(dir, 'code'));
  const code = makeCodeHost(join(dir, 'code'));
  const hands = kind === 'github' ? labelHands(server, alice) : projectHands(server, alice);
  const repository =
    hosted === undefined ? code.address : server.serveCode(server.state.repository('acme/web'), code);
  const env = {
    GITHUB_TOKEN: server.token,
    ...(hosted === undefined ? {} : { GIT_TOKEN: server.gitToken }),
  };
  const data = ['--data', join(dir, 'data')];
  return {
    dir,
    server,
    alice,
    code,
    ...hands,
    writeWorkflow(agent, tracker = {}, rest = {}) {
      const front = {
        tracker: { kind, project: hands.project, endpoint: server.endpoint, ...tracker },
        repository,
        agent: { kind: 'command', ...agent },
        ...rest,
      };
      writeFileSync(join(dir, 'WORKFLOW.md'), `---\n${stringify(front)}---\n{{ issue.title }}\n`);
    },
    cli: (...args) => runCli([...args, ...data], { cwd: dir, env }),
    checkTrace: () => runCli(['check-trace', join(dir, 'data', 'trace.jsonl')], { cwd: dir }),
    start: () =>
      runCli(['start', '--until-idle', '--interval', '0.5', '--log-format', 'json', ...data], {
        cwd: dir,
        env,
        patienceMs: 200_000,
      }),
    linesOf: (name) =>
      existsSync(join(dir, name)) ? readFileSync(join(dir, name), 'utf8').trim().split('\n') : [],
    async end() {
      await server.close();
      rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

type Hands = Pick<GitHubScene, 'operations' | 'add' | 'stateOf' | 'move' | 'renameState'> & {
  readonly project: string;
};

function labelHands({ state }: GitHubServer, alice: GitHubPerson): Hands {
  const repository = state.repository('acme/web');
  for (const name of states) state.label(repository, name);
  return {
    project: 'acme/web',
    operations: { read: 'ReadIssues', move: 'MoveLabels' },
    add(title, label) {
      const issue = state.addIssue(repository, alice.account, { title, labels: [label] });
      return { id: issue.id as IssueId, issue };
    },
    stateOf: ({ issue }) => issue.labels.map(({ name }) => name).join(' + '),
    move: ({ issue }, to) => alice.move(issue, to, states),
    renameState: (from, to) => alice.renameLabel(repository, from, to),
  };
}

function projectHands({ state }: GitHubServer, alice: GitHubPerson): Hands {
  const repository = state.repository('acme/web');
  const project = state.projects.create('acme', 7, states, 'Organization');
  const cardOf = ({ id }: Card) => project.items.find((item) => item.id === id)!;
  return {
    project: 'acme/7',
    operations: { read: 'ReadCards', move: 'MoveCard' },
    add(title, status) {
      const issue = state.addIssue(repository, alice.account, { title });
      return { id: state.projects.add(project, issue, status).id as IssueId, issue };
    },
    stateOf: (card) => cardOf(card).status?.name,
    move: (card, to) => state.projects.move(cardOf(card), to, alice.account),
    renameState: (from, to) => state.projects.renameOption(project, from, to),
  };
}
