import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A bare repository on disk, as a code host keeps it, with one commit on `main`. */
export interface CodeHost {
  readonly address: string;
  /** Git in the bare repository; its output without the last line end. */
  git(...args: readonly string[]): string;
  /** Where a branch stands, or undefined. */
  branch(name: string): string | undefined;
  /** The text of a file on a branch; undefined when it is not there. */
  read(branch: string, path: string): string | undefined;
  /** Somebody else commits these files on top of `from` and pushes them to a branch. */
  push(branch: string, files: Readonly<Record<string, string>>, from?: string): string;
  /** What the code host checks before it takes a push, or does after it: a shell script. */
  check(script: string, hook?: 'pre-receive' | 'post-receive'): void;
}

export function makeCodeHost(dir: string): CodeHost {
  const address = join(dir, 'origin.git');
  const clone = join(dir, 'somebody');
  run(dir, 'init', '--quiet', '--bare', '--initial-branch=main', address);
  run(dir, 'init', '--quiet', '--initial-branch=main', clone);
  run(clone, 'remote', 'add', 'origin', address);

  function git(...args: readonly string[]): string {
    return run(address, ...args);
  }

  function attempt(...args: readonly string[]): string | undefined {
    try {
      return git(...args);
    } catch {
      return undefined;
    }
  }

  const host: CodeHost = {
    address,
    git,
    branch: (name) => attempt('rev-parse', '--verify', '--quiet', `refs/heads/${name}`),
    read: (branch, path) => attempt('show', `refs/heads/${branch}:${path}`),
    push(branch, files, from) {
      if (from !== undefined) {
        run(clone, 'fetch', '--quiet', 'origin', `+refs/heads/${from}:refs/remotes/origin/${from}`);
        run(clone, 'checkout', '--quiet', '--detach', `origin/${from}`);
      }
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(join(clone, path, '..'), { recursive: true });
        writeFileSync(join(clone, path), text);
      }
      run(clone, 'add', '--all');
      run(clone, 'commit', '--quiet', '--allow-empty', '-m', `to ${branch}`);
      run(clone, 'push', '--quiet', 'origin', `+HEAD:refs/heads/${branch}`);
      return run(clone, 'rev-parse', 'HEAD');
    },
    check(script, name = 'pre-receive') {
      const hook = join(address, 'hooks', name);
      mkdirSync(join(address, 'hooks'), { recursive: true });
      writeFileSync(hook, `#!/bin/sh\n${script}\n`);
      chmodSync(hook, 0o755);
    },
  };
  host.push('main', { 'README.md': 'A repository.\n' });
  return host;
}

const identity = {
  GIT_AUTHOR_NAME: 'somebody',
  GIT_AUTHOR_EMAIL: 'somebody@example.com',
  GIT_COMMITTER_NAME: 'somebody',
  GIT_COMMITTER_EMAIL: 'somebody@example.com',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
};

function run(cwd: string, ...args: readonly string[]): string {
  const options = { cwd, encoding: 'utf8', env: { ...process.env, ...identity }, stdio: 'pipe' } as const;
  return execFileSync('git', args, options).trimEnd();
}
