import { readdirSync, readFileSync } from 'node:fs';

/** Processes whose environment or command line names this folder. */
export function findProcesses(dir: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => ['environ', 'cmdline'].some((file) => readQuietly(`/proc/${pid}/${file}`).includes(dir)))
    .map(Number);
}

function readQuietly(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

export function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
