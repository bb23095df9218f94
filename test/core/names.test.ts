import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BoardId, IssueId, TurnId } from '../../lib/core/issue.ts';
import {
  attemptOf,
  branchName,
  commentMarker,
  isTurnId,
  makeTurnId,
  wipBranchName,
  workspaceKey,
} from '../../lib/core/names.ts';

const keyOf = (id: string) => workspaceKey(id as IssueId);
const hashed = /-[0-9a-f]{16}$/;

describe('the workspace key', () => {
  test.each([
    ['web-42'],
    ['a'],
    ['a.b_c-d'],
    ['0'],
    ['a.lockx'],
    ['a.12b'],
    ['a'.repeat(60)],
    ['5c1d7c9e-1f0a-4a57-9d1c-0123456789ab'],
    // One digit short of, and one more than, what a derived key ends with.
    ['a-0123456789abcde'],
    ['a-0123456789abcdef0'],
  ])('of the plain id %s is the id itself', (id) => {
    expect(keyOf(id)).toBe(id);
  });

  test.each([
    ['A/1', 'A_1-'],
    ['A_1', 'A_1-'],
    ['a/1', 'a_1-'],
    ['', '_-'],
    ['-a', '_a-'],
    ['.a', '_a-'],
    ['a..b', 'a_b-'],
    ['a...b', 'a_b-'],
    ['..', '_-'],
    ['a.', 'a.-'],
    ['a.lock', 'a.lock-'],
    // Work in progress of the attempt 12 of `a` is kept under such a name.
    ['a.12', 'a.12-'],
    ['Web-42', 'Web-42-'],
    ['web-Z', 'web-Z-'],
    ['ü', '_-'],
    ['👩', '_-'],
    ['a b\n', 'a_b_-'],
    ['a-0123456789abcdef', 'a-0123456789abcdef-'],
    ['a'.repeat(61), `${'a'.repeat(43)}-`],
  ])('of %j is made safe and carries a hash', (id, start) => {
    const key = keyOf(id);
    expect(key).toMatch(hashed);
    expect(key.slice(0, -16)).toBe(start);
  });

  test('carries the first 64 bits of the SHA-256 of the id', () => {
    expect(keyOf('A/1')).toBe('A_1-a5b3d27a72bcfbb3');
  });

  test('tells ids apart that differ in the replaced character only, or in case only', () => {
    const keys = ['A/1', 'A_1', 'a/1', 'a_1', 'A:1', 'a1', 'A1'].map((id) => keyOf(id).toLowerCase());
    expect(new Set(keys).size).toBe(keys.length);
  });

  const awkward = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 80 }),
    fc.string({ unit: fc.constantFrom('a', 'A', '.', '-', '_', '/', 'lock', '@{', '~', ' '), maxLength: 30 }),
  );

  test('is a safe path component and a safe ref component for any id', () => {
    fc.assert(
      fc.property(awkward, (id) => {
        const key = keyOf(id);
        expect(key).toMatch(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,59}$/);
        expect(key).not.toMatch(/\.\.|\.lock$|\.$/);
      }),
      { numRuns: 2_000 },
    );
  });

  test('is never shared by two ids, also where case is ignored', () => {
    fc.assert(
      fc.property(awkward, awkward, (one, other) => {
        fc.pre(one !== other);
        expect(keyOf(one).toLowerCase()).not.toBe(keyOf(other).toLowerCase());
      }),
      { numRuns: 5_000 },
    );
  });

  test('of an id that looks like another key is not that key', () => {
    fc.assert(
      fc.property(awkward, (id) => {
        const key = keyOf(id);
        if (key === id) return;
        for (const copy of [key, key.toLowerCase()])
          expect(keyOf(copy).toLowerCase()).not.toBe(key.toLowerCase());
      }),
    );
  });

  test('is the same every time', () => {
    expect(keyOf('Web/42')).toBe(keyOf('Web/42'));
  });
});

describe('branch names', () => {
  test('stand under a folder of their own', () => {
    expect(branchName('web-42' as IssueId)).toBe('evenkeel/issue/web-42');
    expect(wipBranchName('web-42' as IssueId)).toBe('evenkeel/wip/web-42');
  });

  test.each([
    'web-42',
    'A/1',
    '',
    '.',
    '..',
    '.a',
    '-a',
    'a.lock',
    'a.',
    'a..b',
    '@',
    '@{u}',
    'a b',
    'ü',
    'x'.repeat(300),
    '\\',
    'a~1^:?*[',
  ])('of %j are accepted by git', (id) => {
    for (const name of [branchName(id as IssueId), wipBranchName(id as IssueId)]) {
      const answer = execFileSync('git', ['check-ref-format', '--branch', name], { encoding: 'utf8' });
      expect(answer.trim()).toBe(name);
    }
  });
});

describe('the comment marker', () => {
  const marker = (board: string, id: string) => commentMarker(board as BoardId, id as IssueId);

  test('is one HTML comment that no id can end early', () => {
    for (const id of ['web-42', 'a-->b', '--', '\n']) {
      expect(marker('board', id)).toMatch(/^<!-- evenkeel:status:[0-9a-f]{32} -->$/);
    }
  });

  test('is of one issue of one board', () => {
    const markers = [
      marker('a', 'b'),
      marker('a', 'B'),
      marker('A', 'b'),
      marker('a","b', 'c'),
      marker('a', 'b","c'),
    ];
    expect(new Set(markers).size).toBe(markers.length);
    expect(marker('a', 'b')).toBe(marker('a', 'b'));
  });
});

describe('a turn id', () => {
  const random = 'abcdefghijklmnopqrstuvwxyz';

  test('carries its attempt and the random part', () => {
    expect(makeTurnId(12, random)).toBe(`12-${random}`);
    expect(attemptOf(makeTurnId(12, random))).toBe(12);
    expect(attemptOf(`3-${'7'.repeat(26)}` as TurnId)).toBe(3);
  });

  test.each([`1-${random}`, `12345678-${random}`, `2-${'ABCDEFGHIJKLMNOPQRSTUV2345'}`])(
    'is known in %s',
    (text) => {
      expect(isTurnId(text)).toBe(true);
    },
  );

  test.each([
    '',
    random,
    `0-${random}`,
    `01-${random}`,
    `123456789-${random}`,
    `1-${random}a`,
    `1-${random.slice(1)}`,
    `../1-${random}`,
    `1-${random}\n`,
    `1-${random}/..`,
    `1-${random.slice(1)}.`,
  ])('is not taken for one: %j', (text) => {
    expect(isTurnId(text)).toBe(false);
  });
});
