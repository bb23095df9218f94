import type { Work } from './collect-work.ts';
import { GitFault } from './failure.ts';
import type { GitEnd } from './git.ts';
import { type Piece, splitPieces } from './split-pieces.ts';
import type { Turn } from './turn.ts';

export interface FoundSecret {
  /** What kind of secret it looks like; never the secret. */
  readonly what: string;
  /** The file that it stands in; undefined when it stands in none, or when the name of the file may hold it too. */
  readonly path: string | undefined;
}

/**
 * Looks for secrets in the new commits, in the lines that they add as well as in their messages and the names of their
 * authors: well-known forms of keys, and the very values that the agent was given. Throws when git cannot tell.
 */
export async function findSecret(turn: Turn, work: Work): Promise<FoundSecret | undefined> {
  const given = listGiven(turn);
  return (await searchCommits(turn, work, given)) ?? (await searchLines(turn, work, given));
}

/** A path as it may be told: one line of the agent's text, not a long one, and without a secret. */
export function showPath(turn: Turn, path: string, longest = 200): string {
  const isSecret = findSecretIn(turn, path) !== undefined;
  return isSecret ? '[withheld: it looks like a secret]' : JSON.stringify(path.slice(0, longest));
}

/** What kind of secret a line of text looks like, if any; also where it is one line of a secret that has several. */
export function findSecretIn(turn: Turn, line: string): string | undefined {
  const given = listGiven(turn).flatMap((value) => [value, ...value.split('\n')]);
  return nameSecret(
    line,
    given.filter((value) => value.length >= shortestGivenLength),
  );
}

/** The values that the agent was given as secrets. */
function listGiven({ environment }: Turn): Given {
  return Object.entries(environment.passed)
    .filter(([name, value]) => secretName.test(name) && value.length >= shortestGivenLength)
    .map(([, value]) => value);
}

/** The commits as they are stored: git shows no message beyond a zero byte. */
async function searchCommits(turn: Turn, work: Work, given: Given): Promise<FoundSecret | undefined> {
  const listed = await turn.git.run(['rev-list', work.headSha, ...work.known]);
  if (!listed.ok) throw new GitFault('the new commits could not be listed', listed);
  const input = `${listed.stdout}\n`;
  return search(
    given,
    (onStdout) => turn.git.run(['cat-file', '--batch', '--buffer'], { input, onStdout }),
    ({ text }) => {
      const what = nameSecret(text, given);
      return what === undefined ? undefined : { what, path: undefined };
    },
  );
}

async function searchLines(turn: Turn, work: Work, given: Given): Promise<FoundSecret | undefined> {
  // Attributes could call a text binary to keep it out of the listing.
  const shape = ['--format=', '--patch', '--unified=0', '--text', '--no-color', '--no-renames', '--root'];
  const prefixes = ['--src-prefix=a/', '--dst-prefix=b/'];
  const safe = ['--no-ext-diff', '--no-textconv', '--diff-merges=combined'];
  const log = ['log', ...shape, ...prefixes, ...safe, work.headSha, ...work.known, '--'];
  const locate = followDiff();
  return search(
    given,
    (onStdout) => turn.git.run(log, { onStdout }),
    (piece) => {
      const { isAdded, path } = locate(piece);
      const what = isAdded ? nameSecret(piece.text, given) : undefined;
      if (what === undefined) return undefined;
      const isTold = path !== undefined && nameSecret(path, given) === undefined;
      return { what, path: isTold ? path : undefined };
    },
  );
}

type Given = readonly string[];

async function search(
  given: Given,
  run: (onStdout: (chunk: Uint8Array) => void) => Promise<GitEnd>,
  judge: (piece: Piece) => FoundSecret | undefined,
): Promise<FoundSecret | undefined> {
  let found: FoundSecret | undefined;
  const overlapBytes = Math.max(longestFormBytes, ...given.map((value) => Buffer.byteLength(value)));
  const pieces = splitPieces(
    (piece) => {
      found ??= judge(piece);
    },
    pieceBytes,
    overlapBytes,
  );
  const end = await run((chunk) => pieces.push(chunk));
  pieces.end();
  if (!end.ok) throw new GitFault('the new commits could not be read', end);
  return found;
}

const pieceBytes = 256 * 1024;
const longestFormBytes = 4 * 1024;

/** Tells of each piece of a diff whether it is added, and where. Only what stands outside of the hunks names a file. */
function followDiff(): (piece: Piece) => { readonly isAdded: boolean; readonly path: string | undefined } {
  let path: string | undefined;
  let isAdded = false;
  // One column for each parent of the commit says what the line is; 0 outside of the hunks.
  let columns = 0;
  return ({ text, isFirst }) => {
    if (!isFirst) return { isAdded, path };
    if (text.startsWith('diff --')) {
      columns = 0;
      path = undefined;
    } else if (text.startsWith('@@')) {
      columns = text.search(/[^@]/) - 1;
      isAdded = false;
      return { isAdded, path };
    }
    // Git puts a name in quotes that could be taken for something else, and a tab after one with a space.
    if (columns === 0 && text.startsWith('+++ b/')) path = text.slice('+++ b/'.length).replace(/\t$/, '');
    isAdded = columns === 0 ? text.startsWith('+++ ') : text.slice(0, columns).includes('+');
    return { isAdded, path };
  };
}

/** Not every variable that is passed to an agent is a secret: the address of a proxy may stand in a file. */
const secretName = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i;
/** Shorter values may stand anywhere by chance. */
const shortestGivenLength = 16;

function nameSecret(line: string, given: Given): string | undefined {
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
  [/\bsk-(?:[A-Za-z0-9]{48}\b|[A-Za-z0-9_-]{20,200}T3BlbkFJ[A-Za-z0-9_-]{20,})/, 'a key of a model'],
  [/\bAIza[A-Za-z0-9_-]{35}\b/, 'a key of a cloud'],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b(?<!EXAMPLE)/, 'a key of a cloud'],
  [/\bxox[abeoprs]-[A-Za-z0-9-]{20,}/, 'a token of a chat'],
  [/\bnpm_[A-Za-z0-9]{36}\b/, 'a token of a package registry'],
  [/\bx-access-token:[A-Za-z0-9_.-]{16,}@/, 'an address with a token in it'],
];
