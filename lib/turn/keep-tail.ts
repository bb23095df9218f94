/** Keeps the last bytes of a stream as text. */
export function keepTail(mostBytes: number): { push(chunk: Uint8Array): void; text(): string } {
  let tail: Uint8Array = new Uint8Array();
  return {
    push(chunk) {
      const joined = Buffer.concat([tail, chunk.subarray(-mostBytes)]);
      tail = Uint8Array.from(joined.subarray(-mostBytes));
    },
    text: () => Buffer.from(tail).toString('utf8'),
  };
}
