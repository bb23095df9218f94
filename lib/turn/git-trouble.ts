import { diskTrouble, type Failure, failure, lastingFailure } from './failure.ts';
import type { GitEnd } from './git.ts';

/**
 * What a failed contact with the code host means. `refused` is a rule or a missing right there; `moved` is a branch that is
 * not where it was expected; `held` is one that another write has locked, for a moment or for ever; `unfit` is what only the
 * operator can mend, for every turn alike.
 */
export interface GitTrouble {
  readonly kind:
    | 'unreachable'
    | 'not-found'
    | 'not-allowed'
    | 'moved'
    | 'held'
    | 'refused'
    | 'unfit'
    | 'unclear';
  /** A closed word for the kind, for the result. */
  readonly word: string;
  readonly says: string;
}

/** Reads what git and the code host printed. The first pattern that fits counts: the particular stand before the general. */
export function readGitTrouble({ stdout, stderr, cut, isDiskFull }: GitEnd): GitTrouble {
  if (cut === 'timeout') return { kind: 'unreachable', word: 'git-timeout', says: 'git took too long' };
  // Whatever else git says then: it wrote nothing.
  if (isDiskFull) return { kind: 'unreachable', word: 'disk', says: 'there is no space left here' };
  const text = `${stdout}\n${stderr}`;
  const taken = /'refs\/heads\/(\S+)' exists; cannot create/i.exec(text)?.[1];
  if (taken !== undefined) return nameTaken(taken);
  const found = patterns.find(([pattern]) => pattern.test(text));
  if (found === undefined) return { kind: 'unclear', word: 'git-failed', says: remoteLine(text) };
  const [, kind, word, says] = found;
  return { kind, word, says: says ?? remoteLine(text) };
}

/** The failure of a turn that could not read its repository. */
export function fetchFailure(trouble: GitTrouble): Failure {
  const detail = `The repository could not be read: ${trouble.says}.`;
  // An access that has run out is every issue's trouble, and is renewed without anybody touching one of them.
  if (trouble.kind === 'unreachable' || trouble.kind === 'not-allowed')
    return failure('infrastructure', trouble.word, detail);
  const mayMend = ['held', 'unclear'].includes(trouble.kind);
  return (mayMend ? failure : lastingFailure)('policy', trouble.word, detail);
}

/** The failure of a turn whose commits were not taken. */
export function pushFailure(trouble: GitTrouble): Failure {
  const detail = `The commits were not taken: ${trouble.says}.`;
  switch (trouble.kind) {
    case 'unreachable':
      return failure('infrastructure', trouble.word, detail);
    case 'not-found':
    case 'unfit':
      return lastingFailure('policy', trouble.word, detail);
    case 'moved':
    case 'held':
    case 'unclear':
      return failure('delivery', trouble.word, detail);
    case 'refused':
    case 'not-allowed':
      return lastingFailure('delivery', trouble.word, detail);
  }
}

/** The failure of a turn that sees before it begins that its commits would not be taken. */
export function hopelessPush({ word, says }: GitTrouble): Failure {
  return lastingFailure('policy', word, `The work could not be delivered: ${says}.`);
}

/** Whether the same contact may succeed in a moment. */
export function mayPass({ kind }: GitTrouble): boolean {
  return kind === 'unreachable' || kind === 'held';
}

/** A branch that stands in the way of the one to be made. */
export function nameTaken(name: string): GitTrouble {
  return {
    kind: 'unfit',
    word: 'branch-name-taken',
    says: `the branch ${JSON.stringify(name.slice(0, 200))} is in the way, since git keeps no branch below the name of another; rename or delete it`,
  };
}

export const branchCheckedOut: GitTrouble = {
  kind: 'unfit',
  word: 'branch-checked-out',
  says: 'the branch is checked out in the repository itself; check out another one there, or give the address of a bare repository',
};

type Pattern = readonly [pattern: RegExp, kind: GitTrouble['kind'], word: string, says?: string];

const moved = 'somebody else moved the branch during the turn';
const missing = 'there is no repository at its address, or this access may not see it';

const patterns: readonly Pattern[] = [
  [
    /does not stand at the pushed commit/,
    'unclear',
    'push-not-seen',
    'git said that they were, but the branch does not stand there',
  ],
  [/^fatal: the turn API gave no access/m, 'unreachable', 'no-access-given'],
  [diskTrouble, 'unreachable', 'disk', 'there is no space left, here or at the code host'],
  [
    /internal server error|service unavailable|temporarily unavailable/i,
    'unreachable',
    'git-host-unreachable',
    'the code host did not answer',
  ],
  [
    /without `?workflows?`? (permission|scope)/i,
    'refused',
    'workflow-permission',
    'changing workflow files needs a right that this access lacks',
  ],
  [/GH006|protected branch/i, 'refused', 'protected-branch'],
  [/GH013|rule violations/i, 'refused', 'ruleset'],
  [/GH001|large files? detected|exceeds .*file size limit/i, 'refused', 'large-file'],
  [
    /error: 413|HTTP 413/i,
    'refused',
    'push-too-large',
    'they are more than the code host takes in one push; let the issue ask for less, or raise its limit',
  ],
  [/stale info|non-fast-forward|fetch first/i, 'moved', 'branch-moved', moved],
  [
    /\.lock'?: File exists|another git process seems/i,
    'held',
    'branch-held',
    'another write holds the branch; when no git runs there any more, remove the *.lock file in the repository',
  ],
  [
    /branch is currently checked out|checked out branch/i,
    branchCheckedOut.kind,
    branchCheckedOut.word,
    branchCheckedOut.says,
  ],
  [
    /remote: .*(?:insufficient permission for adding|read-only file system|unable to create temporary)/i,
    'unfit',
    'repository-read-only',
    'the repository cannot be written to; let the user of the code host write there',
  ],
  [/cannot lock ref|failed to update ref|reference already exists/i, 'moved', 'branch-moved', moved],
  [
    /dubious ownership/i,
    'not-allowed',
    'repository-not-owned',
    'git refuses a repository that belongs to another user of this machine',
  ],
  [
    /repository .*not found|does not appear to be a git repository|not a git repository/i,
    'not-found',
    'repository-not-found',
    missing,
  ],
  [/requested URL returned error: (404|410)/i, 'not-found', 'repository-not-found', missing],
  [/could(n't| not) find remote ref/i, 'not-found', 'base-not-found', 'it has no branch of that name'],
  [
    /authentication failed|could not read (username|password)|permission denied|access denied|invalid credentials|terminal prompts disabled|host key verification failed|error: 40[13]/i,
    'not-allowed',
    'git-forbidden',
    'what turns use there, a token or key, has no access to the repository, or only to read; put one in its place that may write',
  ],
  [/pre-receive hook declined|hook declined|remote rejected/i, 'refused', 'push-refused'],
  [
    /certificate|unable to find remote helper|transport '.*' not allowed|protocol .* not supported|unsupported protocol|URL rejected/i,
    'unfit',
    'address-unfit',
    'git cannot use its address; correct the address, or the certificates and settings of git on this machine',
  ],
  [/requested URL returned error: 4(?!08|25|29)\d\d/i, 'unfit', 'git-host-refuses'],
  [
    /could not resolve host|timed out|connection (refused|reset|closed)|early EOF|RPC failed|error: (5\d\d|408|425|429)|unable to access|hung up|network is unreachable|no route to host|unable to look up/i,
    'unreachable',
    'git-host-unreachable',
    'the code host did not answer',
  ],
];

/** The one line in which a code host says why, without the address and what may stand in it. */
function remoteLine(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  const line =
    lines.find((l) => /^remote: .*(error|GH\d+)/i.test(l)) ??
    lines.find((l) => /^(fatal|error):|^!/.test(l)) ??
    'git gave no reason';
  return line
    .replace(/\/\/[^/\s@]*@/g, '//')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .replace(/[.\s]+$/, '')
    .slice(0, 300);
}
