import { describe, expect, test } from 'vitest';
import { followPath, nameAliases } from '../../lib/turn/follow-links.ts';

describe('a path', () => {
  test.each([
    ['a/b', {}, 'a/b'],
    ['link', { link: 'a//./b/../c' }, 'a/c'],
    ['a/link', { 'a/link': '../x' }, 'x'],
    ['one/f', { one: 'two', two: 'three' }, 'three/f'],
    ['s', { s: '.' }, ''],
  ])('%s leads over the links %j to "%s"', (path, links, to) => {
    expect(followPath(new Map(Object.entries(links)), path)).toEqual({ kind: 'inside', path: to });
  });

  test.each([
    ['a link over the top', { link: '..' }],
    ['an absolute link', { link: '/etc' }],
    ['a link through links that go nowhere deeper', { s: '.', link: 's/s/s/../..' }],
    ['a link through a folder that is a link elsewhere', { d: 'a/b', a: '.', link: 'd/../../..' }],
    ['a link that no system could follow', { link: 'a/'.repeat(3_000) }],
  ])('leaves the tree by %s', (_, links) => {
    expect(followPath(new Map(Object.entries(links)), 'link')).toEqual({ kind: 'outside' });
  });

  test('leads nowhere in a circle', () => {
    expect(followPath(new Map([['link', 'link/..']]), 'link')).toEqual({ kind: 'nowhere' });
  });
});

describe('the other names of a path', () => {
  test('are told with the links that they use, also links in linked folders', () => {
    const links = new Map([
      ['.github', 'gh'],
      ['gh/workflows', '../flows'],
    ]);
    expect(nameAliases(links)('flows/ci.yml')).toEqual([
      { name: 'gh/workflows/ci.yml', by: ['gh/workflows'] },
      { name: '.github/workflows/ci.yml', by: ['gh/workflows', '.github'] },
    ]);
  });

  test('do not go round in circles', () => {
    expect(nameAliases(new Map([['self', '.']]))('a')).toEqual([{ name: 'self/a', by: ['self'] }]);
  });

  test('are given up when they are too many', () => {
    const links = new Map(Array.from({ length: 100 }, (_, at) => [`link${at}`, '.']));
    expect(nameAliases(links)('a')).toBeUndefined();
  });
});
