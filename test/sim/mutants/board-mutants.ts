import { inController, inCore, type Mutant, mutant } from './mutant.ts';

/** Rules of what is read from the board, and of what is written on it. */
export const boardMutants: readonly Mutant[] = [
  mutant(
    'write not announced',
    'a write is announced on the lease before it is sent',
    inController(
      'write-back',
      "if ((await carryOut(run, lease, intend(lease, pending, run.id))) !== 'done') {",
      "if ((run.gen as string) === 'never') {\n    intend(lease, pending, run.id);",
    ),
  ),
  mutant(
    'hand-off judged once',
    'a write follows a read that allows it',
    inController(
      'settle-turn',
      'allowed: (issue) => mayHandOff(issue, lease, contract),',
      'allowed: () => mayHandOff !== undefined,',
    ),
  ),
  mutant(
    'in progress unguarded',
    'the in-progress write follows the same rule',
    inController(
      'start-turn',
      'allowed: (issue) => isWanted(run, issue, contract) && mayReplace(issue, lease),',
      'allowed: () => mayReplace !== undefined,',
    ),
  ),
  mutant(
    'any state handed off',
    'a state that a person set is not replaced',
    inCore(
      'settle',
      'return issue.state !== undefined && ours !== undefined && stateKey(issue.state) === stateKey(ours);',
      'return issue.state !== undefined && ours !== undefined && stateKey(ours) !== undefined;',
    ),
  ),
  mutant(
    'merged wherever it stands',
    'what was merged is finished from where it waits for a person, and from nowhere else',
    inController(
      'move-merged',
      'stateKey(state) === handoff.key,',
      'stateKey(state) !== stateKey(merged.name),',
    ),
  ),
  mutant(
    'merges not looked for',
    'what was merged is finished',
    inController('read-merged', 'return at === undefined ? [] : [{ issue, at }];', 'return [];'),
  ),
  mutant(
    'limit not believed',
    'a board that is limited is not asked for all of it',
    inController(
      'observe',
      'limitedUntil === undefined\n      ? await readBoard(',
      'limitedUntil === undefined || limitedUntil > 0\n      ? await readBoard(',
    ),
  ),
  mutant(
    'stale read written from',
    'a write follows its read at once',
    inController(
      'write-back',
      "if (clock.now() - readAt > readToWriteMs) return giveUpMove(run, lease, pending, { kind: 'unknown' });",
      '',
    ),
  ),
  mutant(
    'no hold-down',
    'a write of a dead invocation may still land',
    inCore(
      'repair',
      'const holdDownMs = Math.max(it.observation.lateWriteMs, writeWindowMs);',
      'const holdDownMs = 0 * writeWindowMs;',
    ),
  ),
  mutant(
    'settled over an open write',
    'an open write blocks a release',
    inCore(
      'turn-writes',
      "{ field: 'ender', is: 'equal', value: ender },\n            { field: 'pending', is: 'absent' },",
      "{ field: 'ender', is: 'equal', value: ender },",
    ),
    inCore(
      'repair',
      'if (lease.pending !== undefined) return decideOpenWrite(it);',
      "if (lease.pending !== undefined && lease.phase !== 'ending') return decideOpenWrite(it);",
    ),
  ),
  mutant(
    'launch given up over an open write',
    'an open write blocks giving a launch up',
    inCore(
      'launch-writes',
      "[[...ofTurn(turnId, 'launching'), { field: 'pending', is: 'absent' }]]",
      "[ofTurn(turnId, 'launching')]",
    ),
    inCore(
      'repair',
      'if (lease.pending !== undefined) return decideOpenWrite(it);',
      "if (lease.pending !== undefined && lease.phase !== 'launching') return decideOpenWrite(it);",
    ),
  ),
  mutant(
    'no repair',
    'an overwritten close is put back',
    inController(
      'write-back',
      '  if (moves === undefined) return true;',
      '  if (moves !== null) return true;',
    ),
  ),
  mutant(
    'lagging record believed',
    'a record that lags behind says nothing',
    inController('write-back', 'if (stateKey(newest.to) !== stateKey(issue.state)) return false;', ''),
  ),
  mutant(
    'move forgotten',
    "a move that was made is the turn's own",
    inController('write-back', 'const update = wasMade ?', 'const update = landed ?'),
    inController('write-back', 'await carryOut(run, lease, noteWritten(pending));', ''),
  ),
  mutant(
    'error as empty list',
    'a list that failed is no empty board',
    inController(
      'observe',
      "return { kind: 'incomplete', problem, limitedUntil",
      "return { kind: 'complete', issues: [], broken: [], inHandoff: 0, problem, limitedUntil",
    ),
  ),
  mutant(
    'states unread taken for valid',
    'a contract that cannot be checked does not hold',
    inController(
      'observe',
      '      valid: false,\n      problems: [unreadBoard(messageOf(error))],\n      contract: record?.contract && contractOf(record.contract),',
      '      valid: true,\n      record: record?.contract,\n      problems: [unreadBoard(messageOf(error))],\n      contract: record?.contract && contractOf(record.contract),',
    ),
  ),
  mutant(
    'unread taken for unwanted',
    'what could not be read stops nothing',
    inCore(
      'repair',
      "return { certain: false, reason: 'unknown', detail: `the issue could not be read: ",
      "return { certain: true, reason: 'unknown', detail: `the issue could not be read: ",
    ),
  ),
  mutant(
    'gone at first sight',
    'gone is believed on the second tick',
    inCore(
      'repair',
      'return since !== undefined && since < now',
      'return since === undefined || since <= now',
    ),
  ),
  mutant(
    'moves believed of a list',
    "a person's move is believed of a read by id",
    inController(
      'observe',
      "return lease?.phase === 'idle' && isMovedByPerson(lease, issue);",
      "return lease?.phase === 'claimed' && isMovedByPerson(lease, issue);",
    ),
  ),
  mutant(
    "own write taken for a person's",
    "what the system wrote is no person's move",
    inController(
      'write-back',
      '{ set: { writtenState: to, seenState: to }, remove: [] }',
      '{ set: { writtenState: to }, remove: [] }',
    ),
    inCore('ledger-fold', '...(record.state === undefined ? {} : { seenState: record.state }),', ''),
  ),
  mutant(
    'parks outlive moves',
    "a person's move resets a park",
    inCore(
      'person-move',
      'return stateKey(issue.state) !== stateKey(lease.seenState);',
      'return lease.parked === undefined && stateKey(issue.state) !== stateKey(lease.seenState);',
    ),
  ),
];

/** Rules that random worlds need too seldom to be hunted with them; a kept story needs each. */
export const rareMutants: readonly Mutant[] = [
  mutant(
    'look-up believed at once',
    'an absence is believed at its second sight',
    inController(
      'write-back',
      "if (reading.kind === 'gone' && !(await isBelievedGone(run, lease))) return undefined;",
      "if (reading.kind === 'gone' && isBelievedGone === undefined) return undefined;",
    ),
  ),
  mutant(
    'late look believed',
    'a look that the record of moves does not bear out lags behind',
    inController(
      'write-back',
      "if (wasMade && reading.kind === 'found'",
      "if (landed && reading.kind === 'found'",
    ),
  ),
  mutant(
    'any container adopted',
    'of several containers of a turn one that has begun is adopted first',
    inCore(
      'adoption-order',
      'b.attempt - a.attempt || bootRank(a) - bootRank(b)',
      'b.attempt - a.attempt || 0 * bootRank(a)',
    ),
  ),
];
