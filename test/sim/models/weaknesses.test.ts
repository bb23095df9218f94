import { expect, test } from 'vitest';
import type { Arn, BoardId, IssueId, StateName } from '../../../lib/core/issue.ts';
import type { Lease } from '../../../lib/core/lease.ts';
import { launchRequest, turnOne } from '../../contracts/describe-runner.ts';
import { aBoard, aChange, aLeaseWith, anIssue, aSettlement, aTurn } from '../../support/ledger-records.ts';
import type { Faults } from '../fate.ts';
import { type FlavourName, flavourNames, flavours } from '../flavours.ts';
import type { CardDeed } from '../sim-case.ts';
import { calmPlace } from './calm-place.ts';
import { makeCardBoard } from './card-board.ts';
import { doToCard } from './hands.ts';
import { loneLedger, lonePark, loneRunner, loneTracker } from './lone-ports.ts';
import { schedule as makeSchedule } from './schedule.ts';
import { ledgerStore } from './sim-ledger.ts';

// What the real parts are known to do, each model can do, too: a model that were stronger would hide faults.

const first = 'a' as IssueId;
const second = 'b' as IssueId;
const [todo, progress, done] = ['Todo', 'In Progress', 'Done'] as unknown as readonly StateName[];

/** A board with two issues in Todo, and what goes wrong at the named calls. */
function board(flavour: FlavourName, faults: Faults = {}) {
  const place = calmPlace(
    flavour,
    Object.fromEntries(Object.entries(faults).map(([call, fault]) => [`test ${call}#1`, fault])),
  );
  const plan = { board: 0, column: 'Todo', labels: [] } as const;
  const cards = makeCardBoard(
    flavours[flavour],
    [
      { ...plan, id: first },
      { ...plan, id: second },
    ],
    place.kernel.now,
  );
  const tracker = place.driven(loneTracker(place, cards, place.proc));
  return {
    place,
    tracker,
    hand: (id: IssueId, deed: CardDeed) => doToCard(cards, cards.cards.get(id)!, deed),
    statesOf: (id: IssueId) => cards.cards.get(id)!.states.join('+'),
    listed: async () => (await tracker.list([todo!])).issues.map(({ id }) => id),
    async fresh(id: IssueId) {
      const reading = await tracker.read(id);
      if (reading.kind !== 'found') throw new Error(`${id} is ${reading.kind}`);
      return reading.issue;
    },
    passes: (ms: number) => place.kernel.runUntil(place.kernel.now() + ms),
  };
}

const remoteNames = flavourNames.filter((name) => flavours[name].place === 'functions');

test.each(remoteNames)('%s: a list is out of date while a read is not', async (name) => {
  const world = board(name, { 'tracker.list/board': { kind: 'stale', ms: 500_000 } });
  await world.passes(600_000);
  world.hand(first, 'to-backlog');
  expect(await world.listed()).toEqual([first, second]);
  expect((await world.fresh(first)).state).toBe('Backlog');
  expect(await world.listed()).toEqual([second]);
});

test.each(remoteNames)('%s: a list lacks one issue, or all of them, and does not say so', async (name) => {
  const omitting = board(name, { 'tracker.list/board': { kind: 'omit', ms: 1 } });
  expect(await omitting.listed()).toEqual([first]);
  const empty = board(name, { 'tracker.list/board': { kind: 'empty' } });
  expect(await empty.listed()).toEqual([]);
  expect(await empty.listed()).toEqual([first, second]);
});

test.each(remoteNames)('%s: an issue that is there is called gone, once', async (name) => {
  const world = board(name, { 'tracker.read/a': { kind: 'gone' } });
  expect([(await world.tracker.read(first)).kind, (await world.tracker.read(first)).kind]).toEqual([
    'gone',
    'found',
  ]);
});

test.each(remoteNames)('%s: who moved an issue cannot be told', async (name) => {
  const world = board(name, { 'tracker.read/a': { kind: 'trust-unknown' } });
  expect([(await world.fresh(first)).trusted, (await world.fresh(first)).trusted]).toEqual(['unknown', true]);
});

test.each(flavourNames)('%s: some of many reads are not answered', async (name) => {
  const world = board(name, { 'tracker.read-many/board': { kind: 'some' } });
  const kinds = [...(await world.tracker.readMany([first, second])).values()].map(({ kind }) => kind).sort();
  expect(kinds).toEqual(['found', 'unknown']);
});

test.each(flavourNames)('%s: a move is made and its answer lost, or refused', async (name) => {
  const lost = board(name, { 'tracker.transition/a': { kind: 'lost' } });
  await expect(lost.tracker.transition(await lost.fresh(first), progress!)).rejects.toThrow();
  expect(lost.statesOf(first)).toBe('In Progress');
  const refused = board(name, { 'tracker.transition/a': { kind: 'rejected' } });
  expect(await refused.tracker.transition(await refused.fresh(first), progress!)).toMatchObject({
    kind: 'rejected',
  });
  expect(refused.statesOf(first)).toBe('Todo');
});

test.each(remoteNames)('%s: a move lands long after it was given up', async (name) => {
  const world = board(name, { 'tracker.transition/a': { kind: 'late', ms: 60_000 } });
  await expect(world.tracker.transition(await world.fresh(first), progress!)).rejects.toThrow();
  expect(world.statesOf(first)).toBe('Todo');
  world.place.kernel.kill(world.place.proc, 'the test');
  await world.passes(60_000);
  expect(world.statesOf(first)).toBe('In Progress');
});

test.each([
  ['github-labels', 'changed', 'Done'],
  ['github-project', 'written', 'In Progress'],
  ['linear', 'written', 'In Progress'],
  ['local', 'changed', 'Done'],
] as const)('%s: a move over a person’s, made since the read, is %s and leaves %s', async (...row) => {
  const [name, answer, state] = row;
  const world = board(name);
  const issue = await world.fresh(first);
  world.hand(first, 'to-done');
  expect((await world.tracker.transition(issue, progress!)).kind).toBe(answer);
  expect(world.statesOf(first)).toBe(state);
});

test('github-labels: a move that is cut off between its two halves leaves both labels', async () => {
  const world = board('github-labels', { 'tracker.transition/a': { kind: 'half' } });
  await expect(world.tracker.transition(await world.fresh(first), progress!)).rejects.toThrow();
  expect(world.statesOf(first)).toBe('Todo+In Progress');
  expect((await world.tracker.read(first)).kind).toBe('unknown');
});

test('github-labels: a process that dies between its label and taking it back leaves two', async () => {
  const world = board('github-labels', { 'tracker.take-back/a': { kind: 'kill-before' } });
  const issue = await world.fresh(first);
  world.hand(first, 'to-done');
  const { kernel, proc } = world.place;
  void world.tracker.transition(issue, progress!);
  while (proc.alive) await kernel.runUntil(kernel.now() + 1_000);
  expect(world.statesOf(first)).toBe('Done+In Progress');
});

test.each(remoteNames)(
  '%s: a hand moves the card between a read and the write that follows',
  async (name) => {
    const world = board(name, { 'sniper.write/a': { kind: 'close', ms: 0 } });
    const issue = await world.fresh(first);
    await world.tracker.transition(issue, progress!);
    const { closed, state } = await world.fresh(first);
    expect([closed, state]).not.toEqual([false, done]);
    expect(closed || name === 'linear').toBe(true);
  },
);

test('the record of moves lags behind, and two of the boards keep none', async () => {
  for (const name of flavourNames) {
    const world = board(name, { 'tracker.moves/a': { kind: 'behind' } });
    world.hand(first, 'to-progress');
    world.hand(first, 'to-done');
    const seen = [await world.tracker.moves(first), await world.tracker.moves(first)];
    const kept = flavours[name].keepsMoves;
    expect(seen.map((moves) => moves?.map(({ to }) => to))).toEqual(
      kept ? [['In Progress'], ['In Progress', 'Done']] : [undefined, undefined],
    );
  }
});

/** A ledger with one lease in it, and what goes wrong with its next changes. */
async function ledger(flavour: FlavourName, fault: Faults[string]) {
  const place = calmPlace(flavour, { 'test ledger.test/I_1#2': fault });
  const store = ledgerStore();
  const port = place.driven(loneLedger(place, store, place.proc));
  await port.changeLease('g1', aBoard, anIssue, aLeaseWith({ phase: 'idle' }));
  const claim = aChange<Lease>({
    when: [[{ field: 'phase', is: 'equal', value: 'idle' }]],
    set: { phase: 'claimed' },
  });
  return {
    place,
    port,
    claim: () => port.changeLease('g1', aBoard, anIssue, claim),
    phase: async () => (await port.lease('g1', aBoard, anIssue))?.phase,
    passes: (ms: number) => place.kernel.runUntil(place.kernel.now() + ms),
  };
}

test.each(flavourNames)('ledger beside %s: a conditional write is made and its answer lost', async (name) => {
  const { claim, phase } = await ledger(name, { kind: 'lost' });
  await expect(claim()).rejects.toThrow();
  expect(await phase()).toBe('claimed');
});

test.each(flavourNames)(
  'ledger beside %s: a write that the client repeats is refused by its own first try',
  async (name) => {
    const { claim, phase } = await ledger(name, { kind: 'retried' });
    expect(await claim()).toBe('refused');
    expect(await phase()).toBe('claimed');
  },
);

test.each(remoteNames)('ledger beside %s: a write lands after others that were sent later', async (name) => {
  const { claim, phase, port, passes } = await ledger(name, { kind: 'late', ms: 240_000 });
  await expect(claim()).rejects.toThrow();
  expect(await phase()).toBe('idle');
  await port.changeLease('g1', aBoard, anIssue, aChange<Lease>({ set: { boot: 'later' } }));
  await passes(240_000);
  expect(await phase()).toBe('claimed');
});

test.each(remoteNames)(
  'ledger beside %s: a write happens once more, if its conditions hold',
  async (name) => {
    const { claim, phase, port, passes } = await ledger(name, { kind: 'doubled', ms: 120_000 });
    expect(await claim()).toBe('done');
    await port.changeLease('g1', aBoard, anIssue, aChange<Lease>({ set: { phase: 'idle' } }));
    await passes(120_000);
    expect(await phase()).toBe('claimed');
  },
);

test.each(flavourNames)(
  'ledger beside %s: what is put once may be refused to whoever put it',
  async (name) => {
    const place = calmPlace(name, {
      'test ledger.put-turn/I_1#1': { kind: 'retried' },
      'test ledger.put-history/I_1#1': { kind: 'retried' },
    });
    const port = place.driven(loneLedger(place, ledgerStore(), place.proc));
    expect([await port.putTurn(aTurn()), await port.putHistory(aSettlement())]).toEqual([
      'refused',
      'refused',
    ]);
    expect(await port.turn(aTurn().turnId)).toEqual(aTurn());
  },
);

test.each(flavourNames)('ledger beside %s: it can be lost as a whole', async (name) => {
  const place = calmPlace(name);
  const store = ledgerStore();
  const port = place.driven(loneLedger(place, store, place.proc));
  await port.changeTick(aChange({ set: { gen: 'g1' } }));
  store.lose();
  expect([await port.tick(), await port.board('b' as BoardId)]).toEqual([undefined, undefined]);
});

test.each(flavourNames)('ledger beside %s: it can be again what it was at a backup', async (name) => {
  const place = calmPlace(name);
  const store = ledgerStore();
  const port = place.driven(loneLedger(place, store, place.proc));
  await port.changeTick(aChange({ set: { gen: 'g1' } }));
  const backup = store.backup();
  await port.changeTick(aChange({ set: { gen: 'g2' } }));
  await port.changeBoard('b' as BoardId, aChange({}));
  store.restore(backup);
  expect([await port.tick(), await port.board('b' as BoardId)]).toEqual([{ gen: 'g1', v: 1 }, undefined]);
});

/** A runner, and what goes wrong with the launch, the container's start or its sight. */
function runner(flavour: FlavourName, faults: Faults) {
  const place = calmPlace(flavour, faults);
  const park = lonePark(place);
  const port = place.driven(loneRunner(place, park, place.proc));
  return {
    place,
    park,
    port,
    launch: () => port.launch(launchRequest()),
    stateOf: async (arn: Arn) => (await port.describe([arn])).get(arn)?.kind,
    passes: (ms: number) => place.kernel.runUntil(place.kernel.now() + ms),
  };
}

const { issueId } = launchRequest();
const launching = `test runner.launch/${issueId}`;
const arnOne = 'task-1' as Arn;

test.each(flavourNames)(
  'runner beside %s: it answers, and has no capacity: the same again for the same turn',
  async (name) => {
    const { launch, park } = runner(name, { [`${launching}#1`]: { kind: 'refused' } });
    expect([(await launch()).kind, (await launch()).kind, park.tasks.size]).toEqual([
      'refused',
      'refused',
      0,
    ]);
  },
);

test.each(flavourNames)(
  'runner beside %s: a launch is made and its answer lost; a repeat names the task',
  async (name) => {
    const { launch, park } = runner(name, { [`${launching}#1`]: { kind: 'lost' } });
    await expect(launch()).rejects.toThrow();
    expect([await launch(), park.tasks.size]).toEqual([{ kind: 'launched', arn: arnOne }, 1]);
  },
);

test.each(remoteNames)(
  'runner beside %s: a launch lands a quarter of an hour late, by its token once',
  async (name) => {
    const { launch, park, passes } = runner(name, { [`${launching}#1`]: { kind: 'late', ms: 900_000 } });
    await expect(launch()).rejects.toThrow();
    expect(park.tasks.size).toBe(0);
    expect(await launch()).toEqual({ kind: 'launched', arn: arnOne });
    await passes(900_000);
    expect(park.tasks.size).toBe(1);
  },
);

test.each(remoteNames)(
  'runner beside %s: a token that was forgotten makes a second container',
  async (name) => {
    const { launch, park } = runner(name, { [`${launching}#2`]: { kind: 'token-forgotten' } });
    await launch();
    expect(await launch()).toEqual({ kind: 'launched', arn: 'task-2' });
    expect([...park.tasks.values()].map(({ isSecond, request }) => [isSecond, request.turnId])).toEqual([
      [false, turnOne],
      [true, turnOne],
    ]);
  },
);

const sight = `task sight/${issueId}/1#1`;
const agent = `agent ${issueId}/1#1`;

test.each(remoteNames)(
  'runner beside %s: a container is missing, or not listed, soon after its start',
  async (name) => {
    const hidden = runner(name, { [sight]: { kind: 'hidden', ms: 300_000 } });
    await hidden.launch();
    expect(await hidden.stateOf(arnOne)).toBe('missing');
    expect((await hidden.port.list()).map(({ arn }) => arn)).toEqual([arnOne]);
    const unlisted = runner(name, { [sight]: { kind: 'unlisted', ms: 30_000 } });
    await unlisted.launch();
    expect(await unlisted.stateOf(arnOne)).toBe('running');
    expect(await unlisted.port.list()).toEqual([]);
    await unlisted.passes(30_000);
    expect(await unlisted.port.list()).toHaveLength(1);
  },
);

test.each(remoteNames)(
  'runner beside %s: a container that has stopped runs and is listed, for some seconds',
  async (name) => {
    const behind = { kind: 'behind', ms: 20_000 };
    const { launch, park, stateOf, port, passes } = runner(name, {
      'test runner.describe/#1': behind,
      'test runner.list/#1': behind,
    });
    await launch();
    park.end(park.tasks.get(arnOne)!, { exitCode: 0 });
    await passes(5_000);
    expect([await stateOf(arnOne), (await port.list()).length]).toEqual(['running', 1]);
    expect([await stateOf(arnOne), (await port.list()).length]).toEqual(['stopped', 0]);
  },
);

test.each(remoteNames)(
  'runner beside %s: a container that stopped is forgotten after an hour, or at once',
  async (name) => {
    for (const [faults, ms] of [
      [{}, 3_600_000],
      [{ [sight]: { kind: 'forgotten', ms: 0 } }, 0],
    ] as const) {
      const { launch, park, stateOf, passes } = runner(name, faults);
      await launch();
      park.end(park.tasks.get(arnOne)!, { exitCode: 0 });
      expect(ms > 0 ? await stateOf(arnOne) : 'stopped').toBe('stopped');
      await passes(ms);
      expect(await stateOf(arnOne)).toBe('missing');
    }
  },
);

test.each(flavourNames)(
  'runner beside %s: a container that is told to stop goes on for two minutes',
  async (name) => {
    const { launch, port, stateOf, passes, park } = runner(name, { [agent]: { kind: 'deaf' } });
    await launch();
    await passes(60_000);
    await port.stop(arnOne);
    await passes(119_000);
    expect([await stateOf(arnOne), park.tasks.get(arnOne)!.working]).toEqual(['running', true]);
    await passes(2_000);
    expect(await port.describe([arnOne])).toMatchObject(
      new Map([[arnOne, { kind: 'stopped', evidence: { signal: 'SIGKILL' } }]]),
    );
  },
);

test.each(flavourNames)(
  'runner beside %s: the platform brings no container up, or takes it away',
  async (name) => {
    const boot = `task boot/${issueId}/1#1`;
    const life = `task life/${issueId}/1#1`;
    for (const [faults, ended] of [
      [{ [boot]: { kind: 'image-fails', ms: 60_000 } }, { cause: 'platform', exitCode: undefined }],
      [{ [boot]: { kind: 'exits-early', ms: 20_000 } }, { cause: 'exit', exitCode: 127 }],
      [{ [boot]: { kind: 'slow-boot', ms: 1_200_000 } }, undefined],
      [{ [life]: { kind: 'host-lost', ms: 60_000 }, [agent]: { kind: 'hang' } }, { cause: 'platform' }],
      [{ [life]: { kind: 'host-leaves', ms: 60_000 }, [agent]: { kind: 'hang' } }, { cause: 'platform' }],
      [
        { [life]: { kind: 'host-leaves', ms: 60_000 }, [agent]: { kind: 'deaf' } },
        { cause: 'platform', signal: 'SIGKILL' },
      ],
      [
        { [life]: { kind: 'told-to-end', ms: 60_000 }, [agent]: { kind: 'hang' } },
        { cause: 'exit', exitCode: 0 },
      ],
    ] as const) {
      const { launch, park, passes } = runner(name, faults as Faults);
      await launch();
      await passes(400_000);
      const task = park.tasks.get(arnOne)!;
      expect(task.phase).toBe(ended === undefined ? 'booting' : 'stopped');
      if (ended !== undefined) expect(task.evidence).toMatchObject(ended);
    }
  },
);

test('the schedule leaves a minute out, fires twice, fires late, and stands still for a while', async () => {
  const minuteMs = 60_000;
  const place = calmPlace('linear', {
    'schedule#2': { kind: 'skipped' },
    'schedule#3': { kind: 'doubled', ms: 4_000 },
    'schedule#4': { kind: 'late', ms: 85_000 },
  });
  const began = place.kernel.now();
  const fired: number[] = [];
  const schedule = makeSchedule(place.setting, () => fired.push((place.kernel.now() - began) / 1_000));
  schedule.start();
  await place.kernel.runUntil(began + 4 * minuteMs);
  schedule.pause(began + 7 * minuteMs);
  await place.kernel.runUntil(began + 8 * minuteMs);
  // The fourth firing is late and comes after the fifth.
  expect(fired).toEqual([0, 120, 124, 240, 265, 420, 480]);
});
