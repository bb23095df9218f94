export interface LineSplitter {
  push(chunk: Uint8Array): void;
  /** Hands over what came after the last line's end. */
  end(): void;
}

/**
 * Cuts a stream of bytes into lines. Of each line the first `keepBytes` are kept and the rest is passed over, so that no
 * output can use up the memory; bytes that are no UTF-8 become replacement characters.
 */
export function splitLines(onLine: (line: string) => void, keepBytes = 65_536): LineSplitter {
  let parts: Uint8Array[] = [];
  let kept = 0;

  function keep(bytes: Uint8Array): void {
    const room = bytes.subarray(0, keepBytes - kept);
    if (room.length === 0) return;
    // A view would keep the whole chunk alive.
    parts.push(Uint8Array.from(room));
    kept += room.length;
  }

  function finishLine(): void {
    onLine(Buffer.concat(parts).toString('utf8'));
    parts = [];
    kept = 0;
  }

  return {
    push(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
        keep(chunk.subarray(from, at));
        finishLine();
        from = at + 1;
      }
      keep(chunk.subarray(from));
    },
    end() {
      if (kept > 0) finishLine();
    },
  };
}

const newline = 0x0a;
