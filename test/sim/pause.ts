import type { SimBoard, Truth } from './checks/truth.ts';

/** A person pauses a board or lets it go on, by the deployment's own clock, which may be ahead of the world's. */
export function pause({ store, clock }: Truth, { id }: SimBoard, on: boolean): void {
  const key = `BOARD ${encodeURIComponent(id)}`;
  const before = store.items.get(key) as { readonly v: number; readonly paused?: object } | undefined;
  if (!on && before?.paused === undefined) return;
  const { paused: _paused, ...rest } = before ?? { v: 0, board: id };
  store.items.set(key, {
    ...rest,
    ...(on ? { paused: { since: clock() } } : {}),
    v: rest.v + 1,
  });
}
