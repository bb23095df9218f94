import { createHmac } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { renewLedger } from '../../lib/cli/stack/renew-ledger.ts';
import type { IssueId } from '../../lib/core/issue.ts';
import { branchName } from '../../lib/core/names.ts';
import { putTickClosed } from '../../lib/core/tick-writes.ts';
import { parseWorkflow, type Workflow } from '../../lib/core/workflow.ts';
import { type CodeHost, makeCodeHost } from '../support/code-host.ts';
import { eventually } from '../support/eventually.ts';
import { type GitHubPerson, githubPerson } from '../support/github/github-person.ts';
import { type GitHubServer, githubServer } from '../support/github/github-server.ts';
import type { Issue, Repository } from '../support/github/github-state.ts';
import { type RunningDeployment, runDeployment } from './support/deployed-world.ts';

// The functions as they are deployed, a board of labels at a GitHub server, a container service that runs the real turn
// program, and a bare repository: only the clock of the minute tick is a test's own.

vi.setConfig({ testTimeout: 180_000 });

const states = ['todo', 'in progress', 'in review', 'done'];
const done = { answer: 'done' };
const settled = { answer: { turn: 'settled' } };
let dir: string;
let server: GitHubServer;
let repository: Repository;
let alice: GitHubPerson;
let code: CodeHost;
let world: RunningDeployment;
beforeEach(async () => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'deployed-')));
  server = await githubServer({ viewer: { login: 'evenkeel[bot]', kind: 'Bot' } });
  repository = server.state.repository('acme/web', states);
  alice = githubPerson(server.state, 'alice', { 'acme/web': 'write' });
  mkdirSync(join(dir, 'code'));
  code = makeCodeHost(join(dir, 'code'));
  code.push('main', { 'README.md': 'A repository to work on.\n' });
  world = await runDeployment({ workflow: workflow(), folder: dir });
  world.secret.githubToken = server.token;
});
afterEach(async () => {
  await world.end();
  await server.close();
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
});

/** An agent that says that it began, and waits for the test where the test wants it to. */
function workflow(prompt = '{{ issue.title }}', address = code.address): Workflow {
  const command = `touch "${dir}/began"; while [ -e "${dir}/hold" ]; do sleep 0.1; done; cat > prompt.txt`;
  const front = {
    tracker: {
      kind: 'github',
      project: 'acme/web',
      endpoint: server.endpoint,
      active_states: ['todo', 'in progress'],
    },
    repository: address,
    agent: { kind: 'command', command },
  };
  const parsed = parseWorkflow(`---\n${stringify(front)}---\n${prompt}\n`, 'WORKFLOW.md');
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  return parsed.workflow;
}

const add = (title: string): Issue => {
  const issue = server.state.addIssue(repository, alice.account, { title, labels: [] });
  alice.move(issue, 'todo', states);
  return issue;
};
const namesOf = (issue: Issue) => issue.labels.map(({ name }) => name).sort();
const branchOf = (issue: Issue) => branchName(issue.id as IssueId);
const tasks = () => world.containers.world.all();
const hold = () => writeFileSync(join(dir, 'hold'), '');
const letGo = () => rmSync(join(dir, 'hold'));
const begun = () =>
  eventually(
    () => existsSync(join(dir, 'began')),
    (hasBegun) => hasBegun,
    60_000,
  );
async function settleAll(): Promise<void> {
  for (const event of await world.stoppedEvents())
    expect(await world.invoke('turn-end', event)).toEqual(settled);
}

function delivery(): object {
  const body = JSON.stringify({ action: 'labeled', repository: { full_name: 'acme/web' } });
  const signature = createHmac('sha256', 'hook').update(body).digest('hex');
  return {
    rawPath: '/webhooks/github',
    headers: { 'x-github-event': 'issues', 'x-hub-signature-256': `sha256=${signature}` },
    body,
    isBase64Encoded: false,
  };
}

/** The early tick that was asked for on the bus. */
const hinted = () => {
  const [entry] = world.bus.heard.at(-1)!.input.Entries as { Source: string; DetailType: string }[];
  return world.invoke('reconcile', { source: entry!.Source, 'detail-type': entry!.DetailType });
};

/** Ticks until what runs has its lease again, and until the ledger is open. */
async function adoptAndOpen(gen: string): Promise<void> {
  // A list may not show yet what was launched a moment ago; looks are repeated.
  await eventually(
    async () => {
      await world.tick();
      return world.ledger.leases(gen);
    },
    (leases) => leases.length > 0,
    60_000,
  );
  // What was on its way before the loss is waited for; here the wait is over at once.
  const { v, since } = (await world.ledger.tick())!;
  await world.ledger.changeTick({
    operation: 'wait-is-over',
    when: [[{ field: 'v', is: 'equal', value: v }]],
    set: { since: since! - 600_000 },
    remove: [],
    add: {},
    append: {},
  });
  await world.tick();
  expect((await world.ledger.tick())?.epoch).toBe(0);
}

test('a card that is moved goes by its webhook, an early tick and a task to the hand-off', async () => {
  const issue = add('Mend the gate');
  expect(await world.invoke('webhook', delivery())).toEqual({ answer: { statusCode: 202 } });
  expect(await hinted()).toEqual(done);
  expect(namesOf(issue)).toEqual(['in progress']);
  await settleAll();
  expect(namesOf(issue)).toEqual(['in review']);
  expect(code.read(branchOf(issue), 'prompt.txt')).toBe('Mend the gate');
  expect(issue.comments.map(({ body }) => body)).toEqual([
    expect.stringContaining('handed over to a person'),
  ]);
  expect(world.brokenPromises()).toEqual([]);
});

test('a turn has its pull request, opened with the token that turns push with', async () => {
  world.secret.gitToken = server.gitToken;
  await world.deploy([workflow('{{ issue.title }}', server.serveCode(repository, code))]);
  const issue = add('Mend the gate');
  await world.tick();
  await settleAll();
  expect(namesOf(issue)).toEqual(['in review']);
  expect(server.state.pulls.all).toMatchObject([{ head: branchOf(issue), isDraft: true, state: 'OPEN' }]);
  const made = server.log.filter(({ operation }) => operation === 'CreatePullRequest');
  expect(made.map(({ token }) => token)).toEqual([server.gitToken]);
  expect(world.brokenPromises()).toEqual([]);
});

test('a webhook that is lost costs a minute: the next tick of the schedule does the same', async () => {
  const issue = add('Mend the gate');
  expect(await world.tick()).toEqual(done);
  await settleAll();
  expect(namesOf(issue)).toEqual(['in review']);
  expect(world.brokenPromises()).toEqual([]);
});

test('a close while the turn ends stays, and the card is not moved', async () => {
  const issue = add('Mend the gate');
  await world.tick();
  const events = await world.stoppedEvents();
  alice.close(issue, 'NOT_PLANNED');
  expect(await world.invoke('turn-end', events[0]!)).toEqual(settled);
  expect([issue.state, issue.stateReason, ...namesOf(issue)]).toEqual([
    'CLOSED',
    'NOT_PLANNED',
    'in progress',
  ]);
  expect(world.brokenPromises()).toEqual([]);
});

test('events of ends that come twice, late and in another order settle each turn once, and touch no turn that runs', async () => {
  const [one, two] = [add('Mend the gate'), add('Mend the fence')];
  await world.tick();
  const ends: object[] = [];
  while (ends.length < 2) ends.push(...(await world.stoppedEvents()));
  const [first, second] = ends;
  expect(await world.invoke('turn-end', second!)).toEqual(settled);
  expect(await world.invoke('turn-end', first!)).toEqual(settled);
  expect([one, two].map(namesOf)).toEqual([['in review'], ['in review']]);

  hold();
  one.title = 'Mend the gate once more';
  alice.move(one, 'todo', states);
  await world.tick();
  expect(tasks()).toHaveLength(3);
  // Of the turn before, while the next one of its issue is at work.
  for (const event of [first!, second!, first!])
    expect(await world.invoke('turn-end', event)).toEqual({ answer: { turn: 'nothing' } });
  expect(namesOf(one)).toEqual(['in progress']);
  expect(tasks().filter(({ status }) => status === 'STOPPED')).toHaveLength(2);
  letGo();
  await settleAll();
  expect(namesOf(one)).toEqual(['in review']);
  await world.tick();
  expect(tasks()).toHaveLength(3);
  expect(world.brokenPromises()).toEqual([]);
});

test('ticks that overlap start each issue once, and never more than the cap', async () => {
  const issues = ['one', 'two', 'three', 'four', 'five'].map(add);
  hold();
  await Promise.all([world.tick(), world.tick(), world.tick()]);
  await world.tick();
  expect(tasks()).toHaveLength(3);
  const leased = await world.ledger.leases('gen');
  expect(new Set(leased.filter(({ phase }) => phase !== 'idle').map(({ issueId }) => issueId)).size).toBe(3);
  expect(issues.filter((issue) => namesOf(issue).includes('in progress'))).toHaveLength(3);
  expect(world.brokenPromises()).toEqual([]);
});

test('a deployment between the claim and the launch changes nothing of the turn that was claimed', async () => {
  const issue = add('Mend the gate');
  // Whether it was launched is not known.
  world.containers.trouble('RunTask', 'lost');
  await world.tick();
  expect(tasks()).toEqual([]);
  await world.deploy([workflow('Another policy.')]);
  await world.tick();
  await settleAll();
  expect(tasks()).toHaveLength(1);
  expect(code.read(branchOf(issue), 'prompt.txt')).toBe('Mend the gate');
  expect(namesOf(issue)).toEqual(['in review']);
  expect(world.brokenPromises()).toEqual([]);
});

test('a table that is deleted while a turn runs costs no work: the turn waits, is adopted and is handed off', async () => {
  const issue = add('Mend the gate');
  hold();
  await world.tick();
  await begun();
  await world.loseTable();
  // Nothing begins while nobody has said that the table is a new one.
  add('Another one');
  await world.tick();
  expect(tasks()).toHaveLength(1);
  await world.ledger.changeTick(putTickClosed('gen-2'));
  await adoptAndOpen('gen-2');
  expect(await world.ledger.leases('gen-2')).toMatchObject([{ issueId: issue.id, phase: 'running' }]);
  expect(tasks()).toHaveLength(1);
  letGo();
  await settleAll();
  expect(namesOf(issue)).toEqual(['in review']);
  expect(code.read(branchOf(issue), 'prompt.txt')).toBe('Mend the gate');
  await world.tick();
  expect(tasks()).toHaveLength(2);
  expect(world.brokenPromises()).toEqual([]);
});

test('a backup in the place of the table doubles nothing: its generation is renewed, and turns that it never knew are adopted', async () => {
  const before = add('Mend the fence');
  await world.tick();
  await settleAll();
  const backup = await world.backUp();
  const issue = add('Mend the gate');
  rmSync(join(dir, 'began'));
  hold();
  await world.tick();
  await begun();
  const running = tasks().length;
  await world.loseTable();
  const restored = await world.restore(backup, 'restored');
  const renewed = await renewLedger(restored, { isConfirmed: true });
  const { generation } = renewed as { readonly generation: string };
  await world.restore(await world.backUp('restored'));
  expect(await world.ledger.leases(generation)).toEqual([]);

  await adoptAndOpen(generation);
  expect(await world.ledger.leases(generation)).toMatchObject([{ issueId: issue.id, phase: 'running' }]);
  await world.tick();
  expect(tasks()).toHaveLength(running);
  letGo();
  await settleAll();
  expect([before, issue].map(namesOf)).toEqual([['in review'], ['in review']]);
  expect(code.read(branchOf(issue), 'prompt.txt')).toBe('Mend the gate');
  expect(tasks()).toHaveLength(running);
  // What ended before the backup is still known.
  const [lease] = await world.ledger.leases(generation);
  expect(await world.ledger.history(lease!.board, before.id as IssueId)).toHaveLength(1);
  expect(world.brokenPromises()).toEqual([]);
});

test('a thousand webhooks at once ask for one tick in a gap, and none of them is lost', async () => {
  const began = Date.now();
  const { answered } = await world.run('webhook', Array.from({ length: 1_000 }, delivery));
  const seconds = (Date.now() - began) / 1_000;
  expect(answered.every(({ answer }) => (answer as { statusCode: number }).statusCode === 202)).toBe(true);
  expect(answered).toHaveLength(1_000);
  expect((await world.ledger.tick())?.dirty).toBe(1_000);
  expect(world.bus.heard.length).toBeLessThanOrEqual(1 + seconds / 2);
  expect(await hinted()).toEqual(done);
  const { dirty, seen } = (await world.ledger.tick())!;
  expect(seen).toBe(dirty);
});
