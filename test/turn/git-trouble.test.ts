import { expect, test } from 'vitest';
import { fetchFailure, pushFailure, readGitTrouble } from '../../lib/turn/git-trouble.ts';

function printed(stderr: string) {
  return { ok: false, code: 1, stdout: '', stderr, cut: undefined };
}

test('an access that does not reach the repository is told with what to replace', () => {
  const trouble = readGitTrouble(printed("fatal: Authentication failed for 'https://x/'"));
  for (const { detail } of [fetchFailure(trouble), pushFailure(trouble)])
    expect(detail).toMatch(
      /: what turns use there, a token or key, has no access .*; put one in its place that may write\.$/,
    );
});

test.each([
  [
    'error: RPC failed; HTTP 413 curl 22 The requested URL returned error: 413',
    'delivery',
    'push-too-large',
    false,
  ],
  [
    "fatal: unable to access 'https://x/': The requested URL returned error: 400",
    'policy',
    'git-host-refuses',
    false,
  ],
  [
    "fatal: unable to access 'https://x/': The requested URL returned error: 429",
    'infrastructure',
    'git-host-unreachable',
    true,
  ],
  [
    "fatal: unable to access 'https://x/': SSL certificate problem: certificate has expired",
    'policy',
    'address-unfit',
    false,
  ],
  [
    "git: 'remote-foo' is not a git command.\nfatal: unable to find remote helper for 'foo'",
    'policy',
    'address-unfit',
    false,
  ],
  [
    'remote: fatal: write error: No space left on device        \n! x [remote rejected] (unpacker error)',
    'infrastructure',
    'disk',
    true,
  ],
  [
    'remote: error: insufficient permission for adding an object to repository database ./objects',
    'policy',
    'repository-read-only',
    false,
  ],
  ['! x [remote rejected] (Internal Server Error)', 'infrastructure', 'git-host-unreachable', true],
  ['! x [remote rejected] (deletion prohibited)', 'delivery', 'push-refused', false],
  ["remote: error: cannot lock ref 'refs/heads/a': is at 1 but expected 2", 'delivery', 'branch-moved', true],
])(
  'what a code host says to a push is classed by whether trying again can help: %s',
  (says, failureClass, kind, retryable) => {
    expect(pushFailure(readGitTrouble(printed(says)))).toMatchObject({
      class: failureClass,
      kind,
      retryable,
    });
  },
);

test.each([
  [
    "fatal: unable to access 'https://x/': SSL certificate problem: self-signed certificate",
    'policy',
    'address-unfit',
    false,
  ],
  [
    "fatal: unable to access 'https://x/': Could not resolve host: x",
    'infrastructure',
    'git-host-unreachable',
    true,
  ],
  [
    'error: unable to write file objects/1: No space left on device\nfatal: index-pack failed',
    'infrastructure',
    'disk',
    true,
  ],
  [
    'error: unable to write file objects/1: Disk quota exceeded\nfatal: index-pack failed',
    'infrastructure',
    'disk',
    true,
  ],
])(
  'what a code host says to a fetch is classed by whether trying again can help: %s',
  (says, failureClass, kind, retryable) => {
    expect(fetchFailure(readGitTrouble(printed(says)))).toMatchObject({
      class: failureClass,
      kind,
      retryable,
    });
  },
);
