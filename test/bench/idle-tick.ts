import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localBoard } from '../../lib/adapters/local-board/local-board.ts';
import type { Ledger, Ports } from '../../lib/controller/ports.ts';
import { reconcile } from '../../lib/controller/reconcile.ts';
import type { BoardId } from '../../lib/core/issue.ts';
import { openTick, putTickClosed } from '../../lib/core/tick-writes.ts';
import { openEmbeddedStore } from '../../lib/host/embedded-store.ts';
import { buildWorkflow } from '../support/build-workflow.ts';
import { memoryLedger } from '../support/memory-ledger.ts';
import { buildWorld } from '../support/world.ts';
import { medianMs, printTable } from './measure.ts';

const issues = 1_000;

/**
 * How long a tick takes that finds nothing to do, on a folder of a thousand issues, compared with only reading the files.
 * `waiting` are issues in an active column that have no slot; the others stand in a column that is nobody's business.
 */
export async function benchIdleTick(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'evenkeel-bench-'));
  const store = await openEmbeddedStore(join(dir, 'data'));
  try {
    const rows: string[][] = [];
    for (const [what, state] of [
      ['at rest', 'Backlog'],
      ['waiting', 'Todo'],
    ] as const) {
      const folder = await layOut(join(dir, state), state);
      const readingMs = await medianMs(9, () => readFolder(folder));
      rows.push([what, 'no tick, files only', readingMs.toFixed(1), '1.0x']);
      for (const [name, ledger] of [
        ['ledger in memory', memoryLedger()],
        ['ledger in the embedded database', store.ledger],
      ] as const) {
        const ms = await medianMs(9, await idleTick(folder, ledger));
        rows.push([what, name, ms.toFixed(1), `${(ms / readingMs).toFixed(1)}x`]);
      }
    }
    printTable(
      `an idle tick over ${issues.toLocaleString('en')} issues on a local board`,
      ['issues', 'what', 'ms', 'of reading'],
      rows,
    );
  } finally {
    await store.close();
    await rm(dir, { recursive: true });
  }
}

async function layOut(folder: string, state: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, 'board.yaml'),
    'states: [Backlog, Todo, In Progress, In Review, Done, Cancelled]\n',
  );
  for (let n = 0; n < issues; n += 1) {
    const front = `title: Issue ${n}\nstate: ${state}\npriority: ${(n % 4) + 1}\nlabels: [agent]\ncreated_at: 2026-01-01T00:00:00Z\n`;
    await writeFile(join(folder, `T-${n}.md`), `---\n${front}---\n\n${'What is asked for. '.repeat(40)}\n`);
  }
  return folder;
}

async function readFolder(folder: string): Promise<void> {
  const names = await readdir(folder);
  await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
}

/** The controller as a host runs it, over this ledger and the folder; without slots, so that nothing starts. */
async function idleTick(folder: string, ledger: Ledger): Promise<() => Promise<void>> {
  const world = await buildWorld();
  const workflow = buildWorkflow({ tracker: { project: folder } });
  const tracker = localBoard({ folder, terminalStates: workflow.tracker.terminal_states });
  const board = {
    id: 'bench' as BoardId,
    tracker,
    workflow,
    workflowProblem: undefined,
    repository: '/repository.git',
  };
  const ports: Ports = {
    ...world.ports,
    boards: async () => [board],
    ledger,
    reporter: { report: () => undefined },
    settings: { ...world.ports.settings, maxConcurrentAgents: 0 },
  };
  await ledger.changeTick(putTickClosed('gen'));
  await ledger.changeTick(openTick('gen'));
  return async () => {
    const report = await reconcile(ports, 'scheduled');
    if (report.kind !== 'done' || !report.summary.complete)
      throw new Error(`The tick was not complete: ${JSON.stringify(report)}`);
  };
}
