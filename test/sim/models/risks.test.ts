import { expect, test } from 'vitest';
import type { IssueId, StateName } from '../../../lib/core/issue.ts';
import type { Lease } from '../../../lib/core/lease.ts';
import { launchRequest } from '../../contracts/describe-runner.ts';
import { aBoard, aChange, aLeaseWith, anIssue, aSettlement, aTurn } from '../../support/ledger-records.ts';
import { type FlavourName, flavours } from '../flavours.ts';
import { calmPlace } from './calm-place.ts';
import { makeCardBoard } from './card-board.ts';
import { loneLedger, lonePark, loneRunner, loneTracker } from './lone-ports.ts';
import { ledgerStore } from './sim-ledger.ts';

/** Calls everything that the models of the ports offer, and tells what might have gone wrong at each. */
async function risksBeside(flavour: FlavourName): Promise<Readonly<Record<string, string>>> {
  const place = calmPlace(flavour);
  const id = 'a' as IssueId;
  const board = makeCardBoard(
    flavours[flavour],
    [{ id, board: 0, column: 'Todo', labels: [] }],
    place.kernel.now,
  );
  const tracker = place.driven(loneTracker(place, board, place.proc));
  const ledger = place.driven(loneLedger(place, ledgerStore(), place.proc));
  const park = lonePark(place);
  const runner = place.driven(loneRunner(place, park, place.proc));
  const readIssue = async () => {
    const reading = await tracker.read(id);
    if (reading.kind !== 'found') throw new Error(`it is ${reading.kind}`);
    return reading.issue;
  };
  const [todo, progress] = ['Todo', 'In Progress'] as unknown as readonly StateName[];
  await tracker.states();
  await tracker.list([todo!]);
  await tracker.count(todo!);
  await tracker.readMany([id]);
  await tracker.moves(id);
  await tracker.comment(await readIssue(), { marker: 'm', body: 'm', ref: undefined });
  const issue = await readIssue();
  if (flavours[flavour].statesAreLabels) board.cards.get(id)!.states = ['Backlog' as StateName];
  await tracker.transition(issue, progress!);
  await tracker.restore(await readIssue(), 'Done' as StateName);
  await ledger.lease('g', aBoard, anIssue);
  await ledger.changeLease('g', aBoard, anIssue, aLeaseWith({}));
  await ledger.changeLease('g', aBoard, anIssue, aChange<Lease>({ set: { boot: 'a' } }));
  await ledger.putTurn(aTurn());
  await ledger.putHistory(aSettlement());
  const launched = await runner.launch(launchRequest());
  if (launched.kind !== 'launched') throw new Error('it was refused');
  await runner.describe([launched.arn]);
  await runner.list();
  await runner.stop(launched.arn);
  const told = place.occasions().map(({ key, risks }) => {
    const kinds = risks.map(({ kind }) => kind).filter((kind) => !kind.startsWith('kill-'));
    const mayDie = kinds.length < risks.length ? 'dies, ' : '';
    return [key.replace(/^test /, '').replace(/[/#].*$/, ''), `${mayDie}${kinds.join(', ')}`] as const;
  });
  return Object.fromEntries(told.filter(([call]) => !call.startsWith('agent')));
}

const hand = 'close, to-done, to-backlog, activate, to-review, edit, unlabel';
const contents = {
  'task boot': 'image-fails, slow-boot, exits-early',
  'task life': 'host-lost, host-leaves, told-to-end',
};

/** Where functions run: requests outlive their senders, and every view may be out of date. */
const remote = {
  'tracker.states': 'dies, fail, slow, slow, limited, reserved',
  'tracker.list': 'dies, fail, slow, slow, stale, omit, empty, limited, reserved',
  'tracker.count': 'dies, fail, stale',
  'tracker.read': 'dies, fail, slow, slow, gone, trust-unknown, limited, reserved',
  'tracker.read-many': 'dies, fail, some, limited, reserved',
  'tracker.moves': 'dies, fail, behind',
  'tracker.comment': 'dies, fail, lost, slow, late',
  'tracker.transition': 'dies, fail, slow, lost, rejected, slow, late, limited, reserved',
  'tracker.restore': 'dies, fail, lost, rejected, late',
  'sniper.read': hand,
  'sniper.write': `${hand}, lose-table`,
  'ledger.lease': 'dies, fail, slow',
  'ledger.test': 'dies, fail, lost, retried, slow, late, doubled',
  'ledger.put-turn': 'dies, fail, lost, retried, slow, late, doubled',
  'ledger.put-history': 'dies, fail, lost, retried, slow, late, doubled',
  'runner.launch': 'dies, fail, slow, lost, refused, late, token-forgotten',
  'runner.describe': 'dies, fail, slow, behind',
  'runner.list': 'dies, fail, slow, behind',
  'runner.stop': 'dies, fail, lost',
  'task sight': 'hidden, unlisted, forgotten',
  ...contents,
};

const byLabels = {
  ...remote,
  'tracker.transition': `${remote['tracker.transition']}, half`,
  'tracker.take-back': 'dies, fail, lost, late',
};

/** On one machine nothing outlives its sender, and what is seen is what is there. */
const onMachine = {
  ...remote,
  'tracker.states': 'dies, fail, slow',
  'tracker.list': 'dies, fail, slow',
  'tracker.count': 'dies, fail',
  'tracker.read': 'dies, fail, slow',
  'tracker.read-many': 'dies, fail, some',
  'tracker.comment': 'dies, fail, lost',
  'tracker.moves': 'dies, fail',
  'tracker.transition': 'dies, fail, slow, lost, rejected',
  'tracker.restore': 'dies, fail, lost, rejected',
  'ledger.test': 'dies, fail, lost, retried, slow',
  'ledger.put-turn': 'dies, fail, lost, retried, slow',
  'ledger.put-history': 'dies, fail, lost, retried, slow',
  'runner.launch': 'dies, fail, slow, lost, refused',
  'runner.describe': 'dies, fail, slow',
  'runner.list': 'dies, fail, slow',
};
const { 'task sight': _sight, ...machine } = onMachine;

test.each([
  ['github-labels', byLabels],
  ['github-project', remote],
  ['linear', remote],
  ['local', machine],
] as const)('everything that can go wrong beside a %s board, call by call', async (flavour, expected) => {
  expect(await risksBeside(flavour)).toEqual(expected);
});
