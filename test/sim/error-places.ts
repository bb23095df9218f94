/** Where sources take an error, as `<file>:<line>`, and the same sources with each such place telling when it takes one. */
export interface Told {
  readonly text: string;
  readonly places: readonly string[];
}

/** `catch` blocks, and `.catch(() => value)`; the value stays what it is. */
const taking = /\} catch(?: \(\w+\))? \{|\.catch\(\((?:\w+: unknown)?\) => (?!\{)/g;

/** The product's sources as the simulator runs them: every place that takes an error counts its uses. */
export function tellErrors(file: string, source: string): Told {
  const places: string[] = [];
  const text = source.replace(taking, (found, at: number) => {
    const place = `${file}:${source.slice(0, at).split('\n').length}`;
    places.push(place);
    const telling = `globalThis.tookError?.(${JSON.stringify(place)})`;
    return found.startsWith('}') ? `${found} ${telling};` : `${found}${telling} ?? `;
  });
  return { text, places };
}

declare global {
  /** Told of each place that takes an error; answers nothing. */
  var tookError: ((place: string) => undefined) | undefined;
}
