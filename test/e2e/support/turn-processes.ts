import { readdirSync, readFileSync } from 'node:fs';

/** One process of a turn, as the process table tells it. */
export interface TurnProcess {
  readonly pid: number;
  /** Makes the process unmistakable together with its pid. */
  readonly start: string;
  /** One start of the turn: a second start of the same turn has another. */
  readonly cookie: string;
  readonly turnId: string;
  readonly issue: string;
  /** The turn program itself; it may wait at the gate. Its children exist only after it has passed. */
  readonly isProgram: boolean;
}

/** Every process of a turn of this data folder. */
export function readTurnProcesses(dataDir: string): readonly TurnProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => readTurnProcess(pid, dataDir) ?? []);
}

/** The turns past the gate. */
export function turnsAtWork(processes: readonly TurnProcess[]): readonly string[] {
  return [...new Set(processes.filter(({ isProgram }) => !isProgram).map(({ turnId }) => turnId))];
}

/** Issues for which two starts are past the gate at the same moment. */
export function findDoubleWork(processes: readonly TurnProcess[]): readonly string[] {
  const working = processes.filter(({ isProgram }) => !isProgram);
  return working.flatMap((one, index) => {
    const other = working
      .slice(index + 1)
      .find(({ issue, cookie }) => issue === one.issue && cookie !== one.cookie);
    // Both were listed one after the other; only if both are still there were they there at once.
    if (other === undefined || !isStillThere(one) || !isStillThere(other)) return [];
    return [`two turns work on ${one.issue} at once: ${one.turnId} and ${other.turnId}`];
  });
}

function readTurnProcess(pid: string, dataDir: string): TurnProcess | undefined {
  const environment = readQuietly(`/proc/${pid}/environ`).split('\0');
  const envOf = (name: string) =>
    environment.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1);
  const cookie = envOf('EVENKEEL_COOKIE');
  const start = startOf(pid);
  if (cookie === undefined || start === undefined) return undefined;
  if (!environment.some((entry) => entry.includes(dataDir))) return undefined;
  const [, turnId = '', , packed = ''] = cookie.split('.');
  const [, issue] = JSON.parse(Buffer.from(packed, 'base64url').toString('utf8')) as [string, string];
  return {
    pid: Number(pid),
    start,
    cookie,
    turnId,
    issue,
    isProgram: envOf('EVENKEEL_TICKET') !== undefined,
  };
}

function isStillThere({ pid, start }: TurnProcess): boolean {
  return startOf(`${pid}`) === start;
}

/** Undefined for one that has ended, also while its parent has not taken note of that. */
function startOf(pid: string): string | undefined {
  const text = readQuietly(`/proc/${pid}/stat`);
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return ['Z', 'X', ''].includes(fields[0] ?? '') ? undefined : fields[19];
}

function readQuietly(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
