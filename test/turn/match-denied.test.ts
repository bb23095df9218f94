import { expect, test } from 'vitest';
import { matchDenied } from '../../lib/turn/match-denied.ts';

test.each([
  ['a newline in a name', '.github/workflows/**', '.github/workflows/a\nb.yml'],
  ['a newline at the end of a name', '**/*.pem', 'keys/id\n.pem'],
  ['a carriage return in a name', 'docs/**', 'docs/a\rb'],
  ['a line separator in a name', 'docs/**', 'docs/a\u2028b'],
  ['a letter that is composed otherwise in the path', 'caf\u00e9/**', 'cafe\u0301/a'],
  ['a letter that is composed otherwise in the pattern', 'cafe\u0301/**', 'caf\u00e9/a'],
  ['a plain name, as a file', 'infra', 'infra'],
  ['a plain name, as a folder', 'infra', 'infra/deep/.hidden'],
  ['a plain name after a glob', '**/infra', 'a/infra/b'],
  ['a slash at the end', 'docs/', 'docs/deep/a.md'],
  ['a slash at the end, as a link in the place of the folder', 'docs/', 'docs'],
  ['a slash at the beginning', '/infra/main.tf', 'infra/main.tf'],
  ['nothing but a slash', '/', 'any/file'],
  ['other letters', 'Docs/', 'dOCS/a'],
])('a path is denied with %s', (_, pattern, path) => {
  expect(matchDenied([pattern])(path)).toBe(true);
});

test.each([
  ['a name that only begins like it', 'infra', 'infrastructure/a'],
  ['the same name in another folder', 'infra', 'apps/infra/a'],
  ['a folder below a glob for files', 'docs/*.md', 'docs/a.md/b'],
  ['a path without any pattern', undefined, 'a'],
])('%s is not denied', (_, pattern, path) => {
  expect(matchDenied(pattern === undefined ? [] : [pattern])(path)).toBe(false);
});
