import { type Failure, failure, lastingFailure } from './failure.ts';
import type { GitEnd } from './git.ts';

/**
 * What a failed contact with the code host means. `refused` is a rule or a missing right there; `moved` is a branch that is
 * not where it was expected.
 */
export interface GitTrouble {
  readonly kind: 'unreachable' | 'not-found' | 'not-allowed' | 'moved' | 'refused' | 'unclear';
  /** A closed word for the kind, for the result. */
  readonly word: string;
  readonly says: string;
}

/** Reads what git and the code host printed. The first pattern that fits counts: the particular stand before the general. */
export function readGitTrouble({ stdout, stderr, cut }: GitEnd): GitTrouble {
  if (cut === 'timeout') return { kind: 'unreachable', word: 'git-timeout', says: 'git took too long' };
  const text = `${stdout}\n${stderr}`;
  const found = patterns.find(([pattern]) => pattern.test(text));
  if (found === undefined) return { kind: 'unclear', word: 'git-failed', says: remoteLine(text) };
  const [, kind, word, says] = found;
  return { kind, word, says: says ?? remoteLine(text) };
}

/** The failure of a turn that could not read its repository. */
export function fetchFailure(trouble: GitTrouble): Failure {
  const detail = `The repository could not be read: ${trouble.says}.`;
  if (trouble.kind === 'unreachable') return failure('infrastructure', trouble.word, detail);
  // An access that has run out is renewed without anybody touching the issue.
  const mayMend = trouble.kind === 'not-allowed' || trouble.kind === 'unclear';
  return (mayMend ? failure : lastingFailure)('policy', trouble.word, detail);
}

/** The failure of a turn whose commits were not taken. */
export function pushFailure(trouble: GitTrouble): Failure {
  const detail = `The commits were not taken: ${trouble.says}.`;
  if (trouble.kind === 'unreachable') return failure('infrastructure', trouble.word, detail);
  if (trouble.kind === 'not-found') return lastingFailure('policy', trouble.word, detail);
  if (trouble.kind === 'moved' || trouble.kind === 'unclear')
    return failure('delivery', trouble.word, detail);
  return lastingFailure('delivery', trouble.word, detail);
}

type Pattern = readonly [pattern: RegExp, kind: GitTrouble['kind'], word: string, says?: string];

const patterns: readonly Pattern[] = [
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
    /stale info|non-fast-forward|fetch first/i,
    'moved',
    'branch-moved',
    'somebody else moved the branch during the turn',
  ],
  [
    /cannot lock ref|failed to update ref|reference already exists/i,
    'moved',
    'branch-moved',
    'somebody else moved the branch during the turn',
  ],
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
    'there is no repository at its address, or this access may not see it',
  ],
  [
    /requested URL returned error: 404/i,
    'not-found',
    'repository-not-found',
    'there is no repository at its address, or this access may not see it',
  ],
  [/could(n't| not) find remote ref/i, 'not-found', 'base-not-found', 'it has no branch of that name'],
  [
    /authentication failed|could not read (username|password)|permission denied|access denied|invalid credentials|terminal prompts disabled|host key verification failed|error: 40[13]/i,
    'not-allowed',
    'git-forbidden',
    'this machine has no access to it, or only to read',
  ],
  [/pre-receive hook declined|hook declined|remote rejected/i, 'refused', 'push-refused'],
  [
    /could not resolve host|timed out|connection (refused|reset|closed)|early EOF|RPC failed|error: (5\d\d|429)|unable to access|hung up|network is unreachable|no route to host|unable to look up/i,
    'unreachable',
    'git-host-unreachable',
    'the code host did not answer',
  ],
  [/no space left|disk quota/i, 'unreachable', 'disk', 'there is no space left'],
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
