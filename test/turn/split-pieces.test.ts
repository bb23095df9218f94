import { expect, test } from 'vitest';
import { type Piece, splitPieces } from '../../lib/turn/split-pieces.ts';

function cut(...chunks: readonly string[]): readonly Piece[] {
  const pieces: Piece[] = [];
  const splitter = splitPieces((piece) => pieces.push(piece), 6, 3);
  for (const chunk of chunks) splitter.push(Buffer.from(chunk));
  splitter.end();
  return pieces;
}

test('short lines stay whole, however they arrive', () => {
  expect(cut('on', 'e\n\ntw', 'o')).toEqual([
    { text: 'one', isFirst: true },
    { text: '', isFirst: true },
    { text: 'two', isFirst: true },
  ]);
});

test('whatever is no longer than the overlap stands whole in a piece of a long line', () => {
  const line = 'abcdefghijklmnopqrstuvwxyz0123456789';
  for (const size of [1, 5, 9, 36]) {
    const pieces = cut(...(line.match(new RegExp(`.{1,${size}}`, 'g')) ?? []), '\n', 'next');
    for (let at = 0; at + 3 <= line.length; at += 1) {
      const part = line.slice(at, at + 3);
      expect(pieces.filter(({ text }) => text.includes(part)).length, part).toBeGreaterThan(0);
    }
    expect(pieces.filter(({ isFirst }) => isFirst).map(({ text }) => text)).toEqual(['abcdefghi', 'next']);
  }
});
