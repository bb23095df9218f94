export interface Piece {
  readonly text: string;
  /** It begins where its line begins. */
  readonly isFirst: boolean;
}

export interface PieceSplitter {
  push(chunk: Uint8Array): void;
  /** Hands over what came after the last line's end. */
  end(): void;
}

/**
 * Cuts a stream of bytes into lines, and a line of more than `pieceBytes` into pieces of which each begins with the last
 * `overlapBytes` of the one before: whatever is no longer than that stands whole in one of them. Nothing is passed over, and
 * no line can use up the memory; bytes that are no UTF-8 become replacement characters.
 */
export function splitPieces(
  onPiece: (piece: Piece) => void,
  pieceBytes: number,
  overlapBytes: number,
): PieceSplitter {
  const piece = Buffer.alloc(pieceBytes + overlapBytes);
  let length = 0;
  let isFirst = true;

  function handOver(): void {
    onPiece({ text: piece.toString('utf8', 0, length), isFirst });
  }

  function add(bytes: Uint8Array): void {
    let from = 0;
    while (from < bytes.length) {
      if (length === piece.length) {
        handOver();
        piece.copyWithin(0, length - overlapBytes, length);
        length = overlapBytes;
        isFirst = false;
      }
      const part = bytes.subarray(from, from + piece.length - length);
      piece.set(part, length);
      length += part.length;
      from += part.length;
    }
  }

  function finishLine(): void {
    handOver();
    length = 0;
    isFirst = true;
  }

  return {
    push(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
        add(chunk.subarray(from, at));
        finishLine();
        from = at + 1;
      }
      add(chunk.subarray(from));
    },
    end() {
      if (length > 0) finishLine();
    },
  };
}

const newline = 0x0a;
