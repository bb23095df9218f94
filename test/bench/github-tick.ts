import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { reconcileHandler } from '../../functions/reconcile.ts';
import { personalToken } from '../../lib/adapters/github/credential.ts';
import { githubClient } from '../../lib/adapters/github/github-client.ts';
import { labelBoard } from '../../lib/adapters/github/label-board.ts';
import { projectBoard } from '../../lib/adapters/github/project-board.ts';
import type { Tracker } from '../../lib/controller/ports.ts';
import { buildWorkflow } from '../support/build-workflow.ts';
import { buildWorld } from '../support/world.ts';
import type { Served, ServedBoard } from './github-board-program.ts';
import { cpuMs, median, printTable } from './measure.ts';

type Kind = 'labels' | 'project';

const server = fileURLToPath(new URL('github-board-program.ts', import.meta.url));
/** A board of labels looks into fifty issues at a tick, so that ten ticks later it knows all that it will know. */
const warming = 20;
const measured = 15;

/**
 * What a tick over a board at GitHub asks and costs when it has nothing new to do: the handler of the tick and the adapters
 * that are deployed, with a ledger in memory, and no slot to start anything in. The server counts requests, points and the
 * bytes of its answers. The processor time is that of the tick alone, after a warm start; beside it stands the time that
 * sending the very same requests and parsing the answers takes without anything else.
 */
export async function benchGitHubTick(sizes: readonly number[] = [100, 1_000, 5_000]): Promise<void> {
  const rows: string[][] = [];
  for (const kind of ['labels', 'project'] as const)
    for (const size of sizes)
      for (const active of [size / 100, size / 10]) {
        const { requests, points, bytes, tickMs, askingMs } = await measure(kind, size, active);
        rows.push([
          kind,
          size.toLocaleString('en'),
          active.toLocaleString('en'),
          String(requests),
          String(points),
          bytes.toLocaleString('en'),
          (tickMs / 1_000).toFixed(3),
          `${(tickMs / askingMs).toFixed(1)}x`,
        ]);
      }
  printTable(
    'a tick at rest over a board at GitHub',
    ['board', 'issues', 'active', 'requests', 'points', 'bytes', 'cpu s', 'of asking'],
    rows,
  );
}

async function measure(kind: Kind, issues: number, active: number) {
  const child = fork(server, [kind, String(issues), String(active)]);
  try {
    const board = await nextMessage<ServedBoard>(child);
    const asked = recordRequests();
    const tick = await restingTick(trackerOf(kind, board), active);
    for (let run = 0; run < warming; run += 1) await tick();
    await countServed(child);
    asked.splice(0);
    const ticks: number[] = [];
    let told = 0;
    for (let run = 0; run < measured; run += 1)
      ticks.push(
        await cpuMs(async () => {
          told += await tick();
        }),
      );
    const served = await countServed(child);
    if (told !== served.points)
      throw new Error(`Ticks told ${told} points, and ${served.points} were charged.`);
    const askAgain = replay(asked.splice(0, asked.length / measured));
    await askAgain();
    const asking: number[] = [];
    for (let run = 0; run < measured; run += 1) asking.push(await cpuMs(askAgain));
    return {
      requests: served.requests / measured,
      points: served.points / measured,
      bytes: Math.round(served.bytes / measured),
      tickMs: median(ticks),
      askingMs: median(asking),
    };
  } finally {
    globalThis.fetch = plainFetch;
    child.disconnect();
    child.kill();
  }
}

async function nextMessage<Message>(child: ChildProcess): Promise<Message> {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`The server ended with ${code}.`);
  });
  const [message] = (await Promise.race([once(child, 'message'), ended])) as [Message];
  return message;
}

function countServed(child: ChildProcess): Promise<Served> {
  const answer = nextMessage<Served>(child);
  child.send('count');
  return answer;
}

const plainFetch = globalThis.fetch;
type Asked = Parameters<typeof fetch>;

/** Keeps what is sent from now on. */
function recordRequests(): Asked[] {
  const asked: Asked[] = [];
  globalThis.fetch = (...request) => {
    asked.push(request);
    return plainFetch(...request);
  };
  return asked;
}

function replay(asked: readonly Asked[]): () => Promise<void> {
  return async () => {
    for (const [url, init] of asked) {
      const { signal: _, ...rest } = init ?? {};
      const response = await plainFetch(url, rest);
      JSON.parse(await response.text());
    }
  };
}

function trackerOf(kind: Kind, { endpoint, token }: ServedBoard): Tracker {
  const client = githubClient({
    credential: personalToken(() => token),
    endpoint,
    userAgent: 'evenkeel/bench',
    timing: { readMs: 60_000, writeMs: 60_000, retryMs: 1 },
  });
  const states = {
    active: ['Todo', 'In Progress'],
    handoff: 'In Review',
    terminal: ['Done', 'Cancelled'],
    others: [],
  };
  const usual = { client, states, lateWriteMs: 0 };
  return kind === 'labels'
    ? labelBoard({ ...usual, project: 'acme/web', trusted: 'write' })
    : projectBoard({ ...usual, project: 'acme/7', repository: 'acme/web' });
}

/** Resolves with the points that the tick's record says it cost. */
async function restingTick(tracker: Tracker, active: number): Promise<() => Promise<number>> {
  const world = await buildWorld({ workflow: buildWorkflow({ agent: { max_concurrent_agents: 0 } }) });
  world.changeBoard({ tracker });
  const handler = reconcileHandler({ ...world.ports, reporter: { report: () => undefined } });
  return async () => {
    const report = await handler({ 'detail-type': 'Scheduled Event' });
    if (report.kind !== 'done' || !report.summary.complete)
      throw new Error(`The tick was not complete: ${JSON.stringify(report)}`);
    const waiting = report.boards[0]?.decisions.length;
    if (waiting !== active) throw new Error(`The tick decided over ${waiting} issues, not ${active}.`);
    return report.summary.cost?.points ?? 0;
  };
}
