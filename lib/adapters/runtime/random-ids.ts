import { randomBytes } from 'node:crypto';
import type { Ids } from '../../controller/ports.ts';

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
const length = 26;

/** 130 random bits each, as base32 in lower case. */
export function randomIds(): Ids {
  return {
    random: () => Array.from(randomBytes(length), (byte) => alphabet[byte % alphabet.length]).join(''),
  };
}
