import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median, printTable } from './measure.ts';

const program = fileURLToPath(new URL('../../dist/evenkeel.js', import.meta.url));
const samples = 10;

/** The resident memory of a host that has nothing to do, beside that of a Node process that does nothing at all. */
export async function benchIdleMemory(): Promise<void> {
  if (!existsSync('/proc/self/status'))
    return console.log('\nmemory of the idle host: not measured, there is no /proc here');
  if (!existsSync(program))
    return console.log(`\nmemory of the idle host: not measured, ${program} is not built`);
  const dir = await mkdtemp(join(tmpdir(), 'evenkeel-bench-'));
  try {
    const bare = await residentMiB(
      spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' }),
    );
    const host = await residentMiB(await startIdleHost(dir));
    printTable(
      'memory of the idle host, in a second-long tick over an empty board',
      ['process', 'MiB', 'of bare Node'],
      [
        ['node, doing nothing', bare.toFixed(0), '1.0x'],
        ['evenkeel start', host.toFixed(0), `${(host / bare).toFixed(1)}x`],
      ],
    );
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function startIdleHost(dir: string): Promise<ChildProcess> {
  await mkdir(join(dir, 'board'));
  await writeFile(
    join(dir, 'board', 'board.yaml'),
    'states: [Backlog, Todo, In Progress, In Review, Done, Cancelled]\n',
  );
  await writeFile(join(dir, 'WORKFLOW.md'), workflow);
  const flags = [
    '--data',
    join(dir, 'data'),
    '--workflow',
    join(dir, 'WORKFLOW.md'),
    '--interval',
    '1',
    '--log-format',
    'json',
  ];
  const host = spawn(process.execPath, [program, 'start', ...flags], { stdio: ['ignore', 'ignore', 'pipe'] });
  await afterTicks(host, 5);
  return host;
}

const workflow = `---
tracker:
  kind: local
  project: board
  active_states: [Todo, In Progress]
  handoff_state: In Review
  terminal_states: [Done, Cancelled]
repository: .
agent: { kind: command, command: 'true' }
---
Work on {{ issue.key }}.
`;

/** Resolves when the host has told of this many ticks; throws when it ends before. */
function afterTicks(host: ChildProcess, ticks: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let told = '';
    host.stderr!.setEncoding('utf8').on('data', (text: string) => {
      told += text;
      if (told.split('"fact":"tick-ended"').length > ticks) resolve();
    });
    host.once('exit', (code) =>
      reject(new Error(`The host ended with ${code} before its ticks: ${told.slice(-2_000)}`)),
    );
  });
}

/** The median of what the kernel says over some seconds. Ends the process. */
async function residentMiB(child: ChildProcess): Promise<number> {
  const seen: number[] = [];
  for (let sample = 0; sample < samples; sample += 1) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
    seen.push(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1_024);
  }
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
  return median(seen);
}
