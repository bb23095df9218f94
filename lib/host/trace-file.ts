import { closeSync, fstatSync, ftruncateSync, openSync, readSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter } from '../controller/ports.ts';
import type { Fact } from '../core/trace.ts';
import { formatTraceLine } from '../core/trace-line.ts';

export interface TraceFile extends Reporter {
  close(): void;
}

const mostBytes = 64 * 1024 * 1024;

/**
 * Appends every fact to `dataDir/trace.jsonl`, and tells it to `onFact`. A line is with the system before `report` returns,
 * so that a kill leaves no hole. A full file becomes `trace.1.jsonl`. What cannot be written is lost and changes nothing
 * else.
 */
export function traceFile(dataDir: string, onFact: (fact: Fact) => void): TraceFile {
  const path = join(dataDir, 'trace.jsonl');
  let file: number | undefined;
  let size = 0;

  function open(): number {
    const opened = openSync(path, 'a+', 0o600);
    size = fstatSync(opened).size;
    // A kill or a full disk may have cut the last line; the next one must not become a part of it.
    if (size > 0 && lastByte(opened, size) !== lineEnd) size += writeSync(opened, '\n');
    return opened;
  }
  function close(): void {
    if (file !== undefined) closeSync(file);
    file = undefined;
  }
  function append(fact: Fact): void {
    file ??= open();
    if (size > mostBytes) {
      close();
      renameSync(path, join(dataDir, 'trace.1.jsonl'));
      file = open();
    }
    const line = Buffer.from(`${formatTraceLine(fact)}\n`);
    // On a disk that fills up a part may be written, and would spoil the line after it.
    if (writeSync(file, line) === line.length) size += line.length;
    else ftruncateSync(file, size);
  }

  return {
    report: (fact) => {
      quietly(() => append(fact));
      quietly(() => onFact(fact));
    },
    close: () => quietly(close),
  };
}

const lineEnd = 0x0a;

function lastByte(file: number, size: number): number | undefined {
  const byte = Buffer.alloc(1);
  readSync(file, byte, 0, 1, size - 1);
  return byte[0];
}

function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // Facts are told, not kept: a full disk is reported by the store, whose writes decide.
  }
}
