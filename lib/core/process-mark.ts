import { createHash } from 'node:crypto';

/**
 * A turn's cookie as a number, which what a turn starts carries as its soft limit of file locks. Linux heeds that limit
 * no more and hands it on at every fork and exec (getrlimit(2)), so that a process keeps it that empties its environment,
 * leaves its session and loses its parent. Only a program that sets this very limit loses it.
 */
export function markOf(cookie: string): string {
  return BigInt(`0x1${createHash('sha256').update(cookie).digest('hex').slice(0, 15)}`).toString();
}

/** The mark in the text of `/proc/PID/limits`; undefined where locks are not limited. */
export function readMark(limits: string): string | undefined {
  return /^Max file locks +([0-9]+) /m.exec(limits)?.[1];
}
