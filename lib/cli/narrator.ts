import type { Host, HostEnd, HostEvent } from '../host/host.ts';

/** What `start` is about, beside the host itself. */
export interface StartedWith {
  readonly dataDir: string;
  readonly intervalMs: number;
  /** Nobody named a workflow file, so that the example is served. */
  readonly example: boolean;
}

/** Tells on stderr what a host does, while it does it. */
export interface Narrator {
  /** May come before `begin`: the first tick does not wait. */
  tell(event: HostEvent): void;
  begin(host: Pick<Host, 'boards' | 'url'>, started: StartedWith): void;
  end(end: HostEnd): void;
  /** The process leaves at once, and what runs goes on. */
  leave(): void;
  /** The host could not start. Whether that was told; if not, the caller tells it. */
  fail(problem: string): boolean;
}
