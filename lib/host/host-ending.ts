import type { HostEnd } from './host.ts';

export type EndReason =
  | { readonly kind: 'stop' }
  | { readonly kind: 'idle'; readonly trouble: readonly string[] }
  | { readonly kind: 'failed'; readonly problem: string };

export interface HostEnding {
  /** Resolves once everything is closed. */
  readonly ended: Promise<HostEnd>;
  /** The first reason counts; later ones wait for the same end. */
  begin(reason: EndReason): Promise<HostEnd>;
}

/** A host ends once, whatever reasons come together. */
export function hostEnding(finish: (reason: EndReason) => Promise<HostEnd>): HostEnding {
  let begun: Promise<HostEnd> | undefined;
  let settle: (end: HostEnd) => void = () => {};
  const ended = new Promise<HostEnd>((resolve) => {
    settle = resolve;
  });
  return {
    ended,
    begin: (reason) => {
      if (begun === undefined) {
        begun = finish(reason);
        begun.then(settle);
      }
      return begun;
    },
  };
}
