import { existsSync } from 'node:fs';
import { procProcessTable } from './proc-process-table.ts';
import { psProcessTable } from './ps-process-table.ts';

/** A process that is alive. Its pid may be given to another one later; pid and `start` together may not. */
export interface Process {
  readonly pid: number;
  readonly ppid: number;
  /** When it began, in a unit of the machine's own: compare for equality, or two of one boot by number. */
  readonly start: string;
  /** The value of `EVENKEEL_COOKIE` that it was executed with; undefined also when it may not be read. */
  readonly cookie: string | undefined;
  /** What stays of the cookie where the environment was emptied; undefined where there is none or none is shown. */
  readonly mark: string | undefined;
}

export interface ProcessTable {
  /** Changes whenever the machine is started anew; holds no colon. */
  readonly bootId: string;
  /** Every live process that this user may see; zombies are not alive. Throws when the table cannot be read. */
  read(): Promise<readonly Process[]>;
  /** When this child of ours began, also if it has ended and nobody has reaped it; undefined when there is none. */
  startOf(pid: number): string | undefined;
}

/** The process table of this machine: `/proc` where there is one, else what `ps` tells. */
export function processTable(): ProcessTable {
  return existsSync('/proc/self/environ') ? procProcessTable() : psProcessTable();
}

/** Processes by one of their fields, in the table's order. */
export function groupProcesses<Field extends 'ppid' | 'cookie'>(processes: readonly Process[], field: Field) {
  const groups = new Map<Process[Field], Process[]>();
  for (const process of processes) {
    const group = groups.get(process[field]);
    if (group === undefined) groups.set(process[field], [process]);
    else group.push(process);
  }
  return groups;
}
