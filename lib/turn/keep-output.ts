import { stripVTControlCharacters } from 'node:util';
import { findSecretIn } from './find-secret.ts';
import type { Turn } from './turn.ts';

/** Where the output of a program goes. */
export interface KeptOutput {
  /** The file that keeps its first `capBytes`. */
  readonly path: string;
  readonly capBytes: number;
  /** Told each line of it as well. */
  readonly onLine?: ((line: string) => void) | undefined;
}

/**
 * What a program of the turn prints is kept in a file of the turn's folder and, where that folder is gone with the turn,
 * is printed line by line beside the turn's own steps, as much of it as the file keeps. A line with a secret is withheld.
 */
export function keepOutput(turn: Turn, name: string, capBytes: number): KeptOutput {
  const path = turn.folder.log(name);
  if (!turn.environment.printsOutput) return { path, capBytes };
  let left = capBytes;
  const tellable = teller(turn);
  return {
    path,
    capBytes,
    onLine(line) {
      if (left <= 0) return;
      const told = tellable(line);
      left -= told.length + overhead;
      turn.print(`${name}.log`, left > 0 ? told : '[the rest of it is not kept]');
    },
  };
}

/** Makes of each line, in their order, what may be told of it. */
function teller(turn: Turn): (line: string) => string {
  let isInKey = false;
  return (line) => {
    const secret = findSecretIn(turn, line) ?? (isInKey ? 'a private key' : undefined);
    // A key is many lines, and only the first of them says what it is.
    isInKey = /-----BEGIN [A-Z ]*PRIVATE KEY/.test(line) || (isInKey && !line.includes('-----END '));
    if (secret !== undefined) return `[withheld: it looks like ${secret}]`;
    const plain = stripVTControlCharacters(line).replace(controls, '');
    const more = plain.length - mostCharacters;
    return more <= 0 ? plain : `${plain.slice(0, mostCharacters)} [${more} more characters]`;
  };
}

/** What a line takes in the log beside its text. */
const overhead = 120;
const controls = /[^\P{Cc}\t]/gu;
/** A line that takes more than 16 KB, in UTF-8 and with what JSON adds, may be torn apart on its way to a log. */
const mostCharacters = 4_000;
