import type { Work } from './collect-work.ts';
import { splitLines } from './split-lines.ts';
import type { Turn } from './turn.ts';

export interface FoundSecret {
  /** What kind of secret it looks like; never the secret. */
  readonly what: string;
  readonly path: string;
}

/**
 * Looks for secrets in the lines that the new commits add: well-known forms of keys, and the very values that the agent was
 * given. Throws when git cannot tell.
 */
export async function findSecret(turn: Turn, work: Work): Promise<FoundSecret | undefined> {
  const given = Object.entries(turn.environment.passed)
    .filter(([name, value]) => secretName.test(name) && value.length >= shortestGivenLength)
    .map(([, value]) => value);
  let path = '';
  let found: FoundSecret | undefined;
  const lines = splitLines((line) => {
    if (line.startsWith('+++ b/')) path = line.slice('+++ b/'.length);
    if (found !== undefined || !/^ ?\+/.test(line)) return;
    const what = nameSecret(line, given);
    if (what !== undefined) found = { what, path };
  }, longestLineBytes);
  // Attributes could call a text binary to keep it out of the listing.
  const shape = ['--format=', '--patch', '--unified=0', '--text', '--no-color', '--no-renames', '--root'];
  const safe = ['--no-ext-diff', '--no-textconv', '--diff-merges=combined'];
  const end = await turn.git.run(['log', ...shape, ...safe, work.headSha, ...work.known, '--'], {
    onStdout: (chunk) => lines.push(chunk),
  });
  lines.end();
  if (!end.ok) throw new Error('the new lines could not be listed');
  return found;
}

const longestLineBytes = 4 * 1024 * 1024;
/** Not every variable that is passed to an agent is a secret: the address of a proxy may stand in a file. */
const secretName = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i;
/** Shorter values may stand anywhere by chance. */
const shortestGivenLength = 16;

function nameSecret(line: string, given: readonly string[]): string | undefined {
  if (given.some((value) => line.includes(value))) return 'a key that the agent was given';
  return forms.find(([form]) => form.test(line))?.[1];
}

/** Forms that hardly anything but a secret has. Keys that vendors print in their manuals end in EXAMPLE and are none. */
const forms: ReadonlyArray<readonly [form: RegExp, what: string]> = [
  [/-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----/, 'a private key'],
  [/\bgh[pousr]_[A-Za-z0-9]{36,}/, 'an access token of a code host'],
  [/\bgithub_pat_[A-Za-z0-9_]{50,}/, 'an access token of a code host'],
  [/\bglpat-[A-Za-z0-9_-]{20,}/, 'an access token of a code host'],
  [/\blin_api_[A-Za-z0-9]{32,}/, 'a key of a tracker'],
  [/\bsk-ant-[A-Za-z0-9_-]{32,}/, 'a key of a model'],
  [/\bsk-(?:[A-Za-z0-9]{48}\b|[A-Za-z0-9_-]{20,}T3BlbkFJ[A-Za-z0-9_-]{20,})/, 'a key of a model'],
  [/\bAIza[A-Za-z0-9_-]{35}\b/, 'a key of a cloud'],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b(?<!EXAMPLE)/, 'a key of a cloud'],
  [/\bxox[abeoprs]-[A-Za-z0-9-]{20,}/, 'a token of a chat'],
  [/\bnpm_[A-Za-z0-9]{36}\b/, 'a token of a package registry'],
  [/\bx-access-token:[A-Za-z0-9_.-]{16,}@/, 'an address with a token in it'],
];
