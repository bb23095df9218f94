import { describe, expect, test } from 'vitest';
import { formatJson, harmlessBlock, harmlessLine } from '../../lib/cli/harmless-text.ts';

const esc = '\u001b';

describe('text from outside', () => {
  test.each([
    ['a colour', `${esc}[31mred${esc}[0m`, 'red'],
    ['a cursor movement and a cleared screen', `before${esc}[2J${esc}[1;1Hafter`, 'beforeafter'],
    ['a window title', `${esc}]0;owned\u0007text`, 'text'],
    ['a link', `${esc}]8;;https://evil.example${esc}\\click${esc}]8;;${esc}\\`, 'click'],
    ['the one-byte form of an escape sequence', 'a\u009b31mb', 'ab'],
    ['a lone escape, a bell, a backspace and a null', `a${esc}\u0007\u0008\u0000b`, 'ab'],
    ['a carriage return that would overwrite the line', 'danger\rsafe', 'dangersafe'],
    ['a turned-around direction of writing', 'user\u202etxt.exe\u2066x\u2069\u200f', 'usertxt.exex'],
    ['zero-width marks and tags', 'a\u200b\ufeff\u{e0041}b', 'ab'],
  ])('loses %s', (_, text, shown) => {
    expect(harmlessBlock(text)).toBe(shown);
  });

  test('keeps letters of every script and emoji with their joiners', () => {
    const text = 'Größe, 日本語, שלום, 👩‍💻';
    expect(harmlessLine(text)).toBe(text);
  });

  test('stays on one line as a line, and keeps its line ends as a block', () => {
    expect(harmlessLine(' one\n two\t three ')).toBe('one two three');
    expect(harmlessBlock('one\n\ttwo')).toBe('one\n\ttwo');
  });

  test('is escaped in JSON so that no terminal obeys it, and reads back as it was', () => {
    const value = { title: `a\u009b31mb\u202ec\u2028d\u007fe\u{e0041}${esc}[1m` };
    const text = formatJson(value);
    expect(text.match(/[^\P{C}\n]|\u2028/gu)).toBeNull();
    expect(JSON.parse(text)).toEqual(value);
  });
});
