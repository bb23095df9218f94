import { type Failure, lastingFailure } from './failure.ts';

/** The largest file that is delivered; code hosts refuse what is twice as large. */
export const mostFileBytes = 50 * 1024 * 1024;

/** The failure of work that holds a larger file; `shown` is its name as it may be told. */
export function largeFile(shown: string, where = ''): Failure {
  const detail = `The file ${shown} is larger than ${mostFileBytes / 1024 / 1024} MB${where}.`;
  return lastingFailure('delivery', 'large-file', detail);
}
