import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { makeTurnWorld, type TurnWorld } from '../support/turn-world.ts';

let world: TurnWorld;
afterEach(() => world.end());

const commit = 'git add --all && git commit -q -m more';

test.each([
  [
    'a workflow file',
    'mkdir -p .github/workflows && echo x > .github/workflows/ci.yml',
    'forbidden-path',
    'ci.yml',
  ],
  [
    'a workflow file in other letters',
    'mkdir -p .GitHub/Workflows && echo x > .GitHub/Workflows/ci.yml',
    'forbidden-path',
    'ci.yml',
  ],
  [
    'a workflow file that a later commit takes back',
    `mkdir -p .github/workflows && echo x > .github/workflows/ci.yml && ${commit} && git rm -q -r .github && ${commit}`,
    'forbidden-path',
    'ci.yml',
  ],
  [
    'a workflow file that comes with a merge',
    `git checkout -q -b other && echo 1 > other.txt && ${commit} && git checkout -q - && echo 2 > mine.txt && ${commit} &&
     git merge -q --no-commit other && mkdir -p .github/workflows && echo x > .github/workflows/ci.yml && ${commit}`,
    'forbidden-path',
    'ci.yml',
  ],
  [
    'a workflow file with a newline in its name',
    'mkdir -p .github/workflows && echo x > "$(printf \'.github/workflows/a\\nci.yml\')"',
    'forbidden-path',
    'ci.yml',
  ],
  ['a link out of the repository', 'mkdir a && ln -s ../../etc/passwd a/link', 'outside-link', 'a/link'],
  ['a link to an absolute path', 'ln -s /etc/passwd link', 'outside-link', 'link'],
  ['a chain of links out of the repository', 'ln -s . s && ln -s s/s/s/../.. up', 'outside-link', 'up'],
  [
    'a link that another one turns out of the repository later',
    `mkdir d && touch d/f && ln -s d/../README.md up && ${commit} && rm -r d && ln -s . d`,
    'outside-link',
    'up',
  ],
  [
    'a workflow file behind a link',
    'mkdir -p gh/workflows && echo x > gh/workflows/ci.yml && ln -s gh .github',
    'forbidden-path',
    'ci.yml',
  ],
  [
    'a workflow file behind a link that a later commit makes',
    `mkdir -p gh/workflows && echo x > gh/workflows/ci.yml && ${commit} && ln -s gh .github`,
    'forbidden-path',
    'ci.yml',
  ],
  [
    'a workflow file behind two links',
    'mkdir gh flows && echo x > flows/ci.yml && ln -s ../flows gh/workflows && ln -s gh .github',
    'forbidden-path',
    'ci.yml',
  ],
  [
    'a submodule at a path',
    `printf '[submodule "m"]\\npath = m\\nurl = file:///etc\\n' > .gitmodules`,
    'unfit-submodule',
    '.gitmodules',
  ],
  [
    'a submodule that is updated by a command',
    `printf '[submodule "m"]\nurl = https://example.com/m\nupdate = !id\n' > .gitmodules`,
    'unfit-submodule',
    '.gitmodules',
  ],
  [
    'a workflow file whose name is a token',
    `mkdir -p .github/workflows && echo x > .github/workflows/ghp_$(printf 'a%.0s' $(seq 36))`,
    'forbidden-path',
    'withheld',
  ],
  [
    'a large file whose name is a token',
    `truncate -s 60M ghp_$(printf 'a%.0s' $(seq 36)) && ${commit}`,
    'secret',
    'an access token',
  ],
  [
    'an empty file whose name is a token',
    `touch ghp_$(printf 'a%.0s' $(seq 36))`,
    'secret',
    'an access token',
  ],
  [
    'a link out of the repository whose name is a token',
    `ln -s /etc ghp_$(printf 'a%.0s' $(seq 36))`,
    'secret',
    'an access token',
  ],
  ['a large file', `truncate -s 60M large.bin && ${commit}`, 'large-file', 'large.bin'],
  ['a private key', 'echo "-----BEGIN OPENSSH PRIVATE KEY-----" > id', 'secret', 'a private key in \\"id\\"'],
  [
    'a token that a later commit takes back',
    `echo token=ghp_$(printf 'a%.0s' $(seq 36)) > t && ${commit} && echo token= > t && ${commit}`,
    'secret',
    'an access token',
  ],
  [
    'a token in a file that looks binary',
    `printf '\\0\\ntoken=ghp_%s\\n' $(printf 'a%.0s' $(seq 36)) > t`,
    'secret',
    'an access token',
  ],
  [
    'a token in a line that looks like the name of a file',
    `printf '++ b/ghp_%s\\n' $(printf 'a%.0s' $(seq 36)) > t`,
    'secret',
    'an access token of a code host in \\"t\\"',
  ],
  [
    'a token in the name of a file',
    `echo x > ghp_$(printf 'a%.0s' $(seq 36))`,
    'secret',
    'an access token of a code host.',
  ],
  [
    'a token far back in a long line',
    `(head -c 6000000 /dev/zero | tr '\\0' x; printf ' ghp_%s' $(printf 'a%.0s' $(seq 36))) > t`,
    'secret',
    'an access token of a code host in \\"t\\"',
  ],
  [
    'a token in the message of a commit',
    `echo x > t && git add t && git commit -q -m title -m ghp_$(printf 'a%.0s' $(seq 36))`,
    'secret',
    'an access token of a code host.',
  ],
  [
    'a key in the name of an author',
    'echo x > t && git add t && git commit -q -m title --author="$MODEL_KEY <a@example.org>"',
    'secret',
    'a key that the agent was given.',
  ],
  [
    'the key that the agent was given',
    'echo "x $MODEL_KEY y" > notes.txt',
    'secret',
    'a key that the agent was given',
  ],
  [
    'commits without any history in common',
    `git checkout -q --orphan new && ${commit}`,
    'unrelated-history',
    'main',
  ],
])('%s does not leave the machine, and is kept in a bundle', async (_, command, kind, says) => {
  world = await makeTurnWorld({ command });
  const env = { MODEL_KEY: 'the-key-of-the-model', EVENKEEL_PASS: 'MODEL_KEY' };
  const { result, log } = await world.run({ env });
  expect(result).toMatchObject({
    status: 'failed',
    failure: { class: 'delivery', kind, retryable: false },
    git: { pushed: false, bundle: expect.stringContaining('work.bundle') },
  });
  expect(result?.failure?.detail).toContain(says.replaceAll('\\"', '"'));
  expect(JSON.stringify(result) + log).not.toMatch(/ghp_|the-key-of-the-model/);
  expect(world.host.git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
  // The bundle is whole: whoever has the base can take the work from it.
  const heads = execFileSync('git', ['bundle', 'verify', result?.git?.bundle ?? ''], {
    cwd: world.host.address,
    encoding: 'utf8',
    stdio: 'pipe',
  });
  expect(heads).toContain('refs/evenkeel/work');
});

test.each([
  ['a link within the repository', 'mkdir a && ln -s ../README.md a/link'],
  ['a link to the repository itself', 'mkdir -p src/deep && ln -s ../.. src/deep/self && echo x > src/f'],
  [
    'a submodule on the network',
    `printf '[submodule "m"]\nurl = https://example.com/m\n[submodule "n"]\nurl = ../n\n[submodule "o"]\nurl = git@example.com:o/o.git\n' > .gitmodules`,
  ],
  ['a key from a manual', 'echo AKIAIOSFODNN7EXAMPLE > notes.txt'],
  ['a line that takes a secret away', 'rm secret.pem'],
])('%s is let through', async (_, command) => {
  world = await makeTurnWorld({ command });
  world.host.push('main', { 'secret.pem': '-----BEGIN PRIVATE KEY-----\n' });
  expect((await world.run()).result).toMatchObject({
    status: 'completed',
    git: { pushed: true, commits: 1 },
  });
});

test('what came from the base by a merge is not held against the agent', async () => {
  world = await makeTurnWorld({ command: 'git merge -q --no-edit origin/main && echo new > new.txt' });
  world.host.push('evenkeel/issue/web-1', { 'first.txt': 'earlier' }, 'main');
  world.host.push('main', { '.github/workflows/ci.yml': 'x' }, 'main');
  expect((await world.run()).result).toMatchObject({ status: 'completed', git: { pushed: true } });
});

test('what came from a base that moved on during the turn is not held against the agent either', async () => {
  world = await makeTurnWorld({
    command: 'echo ready; sleep 1; git pull -q --no-edit origin main && echo new > new.txt',
  });
  let moved = false;
  world.api.says.heartbeat = ({ step }) => {
    if (step === 'agent' && !moved) world.host.push('main', { '.github/workflows/ci.yml': 'x' }, 'main');
    moved ||= step === 'agent';
    return { answer: 'go' };
  };
  expect((await world.run()).result).toMatchObject({
    status: 'completed',
    git: { pushed: true, commits: 1 },
  });
  expect(world.host.read('evenkeel/issue/web-1', '.github/workflows/ci.yml')).toBe('x');
});

test('links that stood there before are not held against the agent', async () => {
  world = await makeTurnWorld({ command: 'ln -s README.md fine && echo new > new.txt' });
  const copy = join(world.traces, 'copy');
  const git = (...args: readonly string[]) =>
    void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: copy });
  execFileSync('git', ['clone', '-q', world.host.address, copy]);
  symlinkSync('/etc/hosts', join(copy, 'hosts'));
  git('add', 'hosts');
  git('commit', '-q', '-m', 'a link');
  git('push', '-q', 'origin', 'HEAD:main');
  expect((await world.run()).result).toMatchObject({
    status: 'completed',
    git: { pushed: true, commits: 1 },
  });
});

test('paths that the policy denies are the only ones', async () => {
  world = await makeTurnWorld({
    command: 'mkdir -p docs/deep && echo x > docs/deep/.hidden.md',
    deny_paths: ['docs/**'],
  });
  expect((await world.run()).result).toMatchObject({ failure: { kind: 'forbidden-path' } });
});
