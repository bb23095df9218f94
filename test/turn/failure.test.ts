import { expect, test } from 'vitest';
import { agentGitFailure, GitFault, gitFailure, unforeseenFailure } from '../../lib/turn/failure.ts';
import { isFull } from '../../lib/turn/full-disk.ts';
import type { GitEnd } from '../../lib/turn/git.ts';
import { fetchFailure, pushFailure, readGitTrouble } from '../../lib/turn/git-trouble.ts';

function gitEnd(stderr: string, rest: Partial<GitEnd> = {}): GitEnd {
  return { ok: false, code: 128, stdout: '', stderr, cut: undefined, ...rest };
}

const unwritten = "fatal: update_ref failed for ref 'x': couldn't write '/t/repo.git/x.lock'";
const noGit = 'spawn git ENOENT';

test.each([unwritten, 'fatal: bad object HEAD', 'error: unable to write file x', noGit, ''])(
  'a failure of the turn’s own git is the machine’s where git does not say otherwise: %j',
  (stderr) => {
    const found = { class: 'infrastructure', kind: 'git-unusable', retryable: true };
    expect(gitFailure('broken-commits', 'It failed.', gitEnd(stderr))).toMatchObject(found);
    expect(unforeseenFailure(new GitFault('it failed', gitEnd(stderr)))).toMatchObject(found);
  },
);

test.each([
  'error: object 0123456789012345678901234567890123456789: missingSpaceBeforeDate: invalid author',
  'fatal: fsck error in packed object',
  'error: Repository lacks these prerequisite commits:\nerror: 0123456789012345678901234567890123456789 ',
  "error: '/t/handover.bundle' does not look like a v2 or v3 bundle file",
  'error: inflate: data stream error (incorrect header check)\nfatal: pack has bad object at offset 12',
  "fatal: failed to encode 'a' from UTF-16 to UTF-8",
  "fatal: BOM is required in 'a' if encoded as UTF-16",
  "error: invalid path 'a/.git/config'",
  'error: unable to create file aaaa: File name too long',
  'fatal: the repository of the turn was removed or replaced',
])('what git cannot take of the work is the agent’s: %j', (stderr) => {
  expect(gitFailure('broken-commits', 'It failed.', gitEnd(stderr))).toMatchObject({
    class: 'agent',
    kind: 'broken-commits',
  });
});

test('work that git does not get done with in its time is the agent’s', () => {
  const found = gitFailure('uncollected', 'It failed.', gitEnd('', { cut: 'timeout' }));
  expect(found).toMatchObject({ class: 'agent', detail: 'It failed. Git took too long.' });
});

test('git in the agent’s own repository fails by the agent’s fault', () => {
  expect(agentGitFailure('broken-commits', 'It failed.', gitEnd('fatal: bad object HEAD')).class).toBe(
    'agent',
  );
});

test.each([
  ['its own repository', (end: GitEnd) => gitFailure('internal', 'It failed.', end)],
  ['the agent’s repository', (end: GitEnd) => agentGitFailure('internal', 'It failed.', end)],
  ['a fetch', (end: GitEnd) => fetchFailure(readGitTrouble(end))],
  ['a push', (end: GitEnd) => pushFailure(readGitTrouble(end))],
])('a full disk is named although git does not: %s', (_, classify) => {
  const lock = "error: cannot lock ref 'refs/heads/a': couldn't write '/t/repo.git/a.lock'";
  expect(classify(gitEnd(lock, { isDiskFull: true }))).toMatchObject({
    class: 'infrastructure',
    kind: 'disk',
    retryable: true,
  });
});

test.each([
  ['nothing left', { bsize: 4096, bavail: 0, files: 100, ffree: 50 }, true],
  ['a few blocks left', { bsize: 4096, bavail: 255, files: 100, ffree: 50 }, true],
  ['no room for another file', { bsize: 4096, bavail: 10_000, files: 100, ffree: 0 }, true],
  ['files that are not counted', { bsize: 4096, bavail: 10_000, files: 0, ffree: 0 }, false],
  ['room', { bsize: 4096, bavail: 256, files: 100, ffree: 1 }, false],
])('a disk with %s is full: %s', (_, space, full) => {
  expect(isFull(space)).toBe(full);
});
