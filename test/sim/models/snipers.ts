import type { Risk } from '../fate.ts';
import type { Proc } from '../kernel.ts';
import type { Setting } from './calls.ts';
import type { Card } from './card-board.ts';

/** People who act at the worst moment: between our read and our write, or between our write and its verification. */
const risks: readonly Risk[] = [
  'close',
  'to-done',
  'to-backlog',
  'activate',
  'to-review',
  'edit',
  'unlabel',
].map((kind) => ({ kind, of: `sniper.${kind}`, minMs: 0, maxMs: 400 }));
/** The worst moment for the ledger to be lost: while a write of ours is on its way. */
const writeRisks: readonly Risk[] = [
  ...risks,
  { kind: 'lose-table', of: 'sniper.table', minMs: 0, maxMs: 400 },
];

export interface Sneaking {
  readonly setting: Setting;
  readonly proc: Proc;
  readonly when: 'read' | 'write';
  readonly card: Card | undefined;
  readonly act: (card: Card, deed: string, inMs: number) => void;
}

/** Lets a hand act on the card while our own call about it is under way. */
export function sneakIn({ setting, proc, when, card, act }: Sneaking): void {
  if (card === undefined) return;
  const fault = setting.fate.decide(
    `${proc.kind} sniper.${when}/${card.id}`,
    when === 'write' ? writeRisks : risks,
  );
  if (fault === undefined) return;
  setting.saw(`sniper ${when} ${fault.kind}`);
  act(card, fault.kind, fault.ms ?? 0);
}
