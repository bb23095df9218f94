import { execFile } from 'node:child_process';
import type { Files } from './example-files.ts';

/** When the example's first commit was made, so that it is the same commit everywhere. */
const when = '1767603600 +0000';
const who = 'evenkeel example <example@evenkeel.invalid>';

/** Makes a bare repository at `path` with one commit on `main`. The user's own settings of git play no part. */
export async function makeExampleRepository(path: string, files: Files): Promise<void> {
  await git(['init', '--quiet', '--bare', '--template=', path]);
  await git(['-C', path, 'fast-import', '--quiet'], commitStream(files));
  await git(['-C', path, 'symbolic-ref', 'HEAD', 'refs/heads/main']);
}

function commitStream(files: Files): string {
  const message = 'Greet in English';
  return [
    'commit refs/heads/main',
    `author ${who} ${when}`,
    `committer ${who} ${when}`,
    data(message),
    ...Object.entries(files).map(([name, text]) => `M 100644 inline ${name}\n${data(text)}`),
    '',
  ].join('\n');
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}`;
}

async function git(args: readonly string[], input = ''): Promise<void> {
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))),
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
  };
  await new Promise<void>((resolve, reject) => {
    const child = execFile('git', [...args], { env }, (error, _stdout, stderr) =>
      error === null ? resolve() : reject(describe(error, stderr)),
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

function describe(error: Error & { readonly code?: unknown }, stderr: string): Error {
  if (error.code === 'ENOENT') return new Error('git was not found. Install it; turns need it too.');
  return new Error(`The example repository could not be made: ${stderr.trim() || error.message}`);
}
