import { readFileSync } from 'node:fs';

/** Of evenkeel. */
export const version: string = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
).version;
