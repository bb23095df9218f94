import { inController, inCore, type Mutant, mutant } from './mutant.ts';

/** Rules of who owns an issue, and until when. */
export const leaseMutants: readonly Mutant[] = [
  mutant(
    'no epoch confirm',
    'a newer tick disarms an older one',
    inController('start-turn', '|| tick.epoch !== run.epoch', ''),
  ),
  mutant(
    'no launching mark',
    'what is claimed was never launched',
    inController(
      'start-turn',
      "if ((await carryOut(run, lease, mark(lease.turnId!, now))) !== 'done') return 'started';",
      '',
    ),
  ),
  mutant(
    'blind mark',
    'a mark follows a claim that still stands',
    inCore(
      'launch-writes',
      "[ofTurn(turnId, 'claimed')],\n      step('claimed', 'launching'",
      "[[]],\n      step('claimed', 'launching'",
    ),
  ),
  mutant(
    'old claims stay',
    'a claim of an older tick is released',
    inCore('repair', '(lease.epoch ?? 0) < observation.epoch', 'false'),
  ),
  mutant(
    'claims released by turn alone',
    'a release names the phase it leaves',
    inCore(
      'launch-writes',
      "move('unclaim', [ofTurn(turnId, 'claimed')],",
      "move('unclaim', [[named(turnId)]],",
    ),
    inCore(
      'repair',
      "case 'launching':\n      return decideLaunching(it);",
      "case 'launching':\n      return decide(it, 'release', 'superseded', '');",
    ),
    inController(
      'apply',
      "if (lease.phase === 'claimed') {",
      "if (lease.phase === 'claimed' || lease.phase === 'launching') {",
    ),
  ),
  mutant(
    'launch given up by turn alone',
    'a launch is given up only while nobody has passed the gate',
    inCore(
      'launch-writes',
      "[[...ofTurn(turnId, 'launching'), { field: 'pending', is: 'absent' }]]",
      "[[named(turnId), { field: 'pending', is: 'absent' }]]",
    ),
  ),
  mutant(
    'no start gate',
    'one container passes the gate, and names itself',
    inCore(
      'turn-writes',
      "[ofTurn(turnId, 'launching')],\n      step('launching', 'running'",
      "[[]],\n      step('launching', 'running'",
    ),
  ),
  mutant(
    'gate for a second container',
    'a second container of a turn is refused',
    inCore(
      'turn-writes',
      "[ofTurn(turnId, 'launching')],\n      step('launching', 'running'",
      "[ofTurn(turnId, 'launching'), ofTurn(turnId, 'running')],\n      step('launching', 'running'",
    ),
  ),
  mutant(
    'gate that only reads',
    'passing the gate is a write',
    inController(
      'serve-turn',
      'const passed = await carryOut(run, lease, gate(turnId, boot, arn, ports.clock.now()));',
      "const row = await ports.ledger.lease(run.gen, lease.board, lease.issueId);\n  const passed = row?.turnId === turnId ? 'done' : ('refused' as string);",
    ),
  ),
  mutant(
    'gate without a look at the board',
    'a turn begins only while its issue is wanted',
    inController('serve-turn', "if (wanted !== 'wanted') return", "if (wanted === 'never') return"),
  ),
  mutant(
    'calls after the stop',
    'a turn that was told to stop is not heard any more',
    inCore(
      'turn-writes',
      "const running = ofTurn(turnId, 'running');",
      "const running: Alternative = [named(turnId), { field: 'phase', is: 'one-of', values: ['running', 'stopping', 'ending'] }];",
    ),
  ),
  mutant(
    'calls of any container',
    'only the container that the lease names is heard',
    inCore('turn-writes', "[...running, { field: 'boot', is: 'equal', value: boot }],", '[...running],'),
  ),
  mutant(
    'takeover by time',
    'silence only asks for a stop',
    inCore('repair', "return { ...decide(it, 'stop', 'stale',", "return { ...decide(it, 'settle', 'ended',"),
    inController(
      'apply',
      "return task?.kind === 'missing' ? goneEvidence(arn, run.ports.clock.now()) : undefined;",
      'return goneEvidence(arn, run.ports.clock.now());',
    ),
  ),
  mutant(
    'release on the stop call',
    'asking for a stop is no evidence',
    inCore(
      'repair',
      "...decide(it, 'stop', reason, 'it was told to stop",
      "...decide(it, 'release', 'ended', 'it was told to stop",
    ),
    inController(
      'apply',
      "return task?.kind === 'missing' ? goneEvidence(arn, run.ports.clock.now()) : undefined;",
      'return goneEvidence(arn, run.ports.clock.now());',
    ),
  ),
  mutant(
    'missing read as gone',
    'a task that is not shown is not gone',
    inCore(
      'silence',
      'missing.count >= timing.goneSightings &&\n    missing.since + timing.goneAfterMs <= now',
      'missing.count >= 1',
    ),
  ),
  mutant(
    'evidence by turn',
    'evidence names the container that works',
    inCore(
      'turn-writes',
      "[[...ofTurn(turnId, 'running'), live(evidence.arn)]]",
      "[ofTurn(turnId, 'running')]",
    ),
    inController('end-turn', "if (lease.liveArn !== event.arn) return 'nothing';", ''),
  ),
  mutant(
    'event believed',
    'an event is only a reason to look',
    inController(
      'end-turn',
      'const task = (await ports.runner.describe([event.arn])).get(event.arn);',
      "const evidence = { arn: event.arn, at: 0, exitCode: 0, signal: undefined, cause: 'exit' as const, detail: '' };\n  const task = { kind: 'stopped' as const, evidence };",
    ),
  ),
  mutant(
    'settled before its history',
    'the history is the commit',
    inController(
      'commit-settlement',
      "const outcome = await carryOut(run, lease, release(foldSettlement(lease, record)));\n  if (outcome === 'done') tellEnding(run, lease, record);\n  return outcome;\n}\n\n/**\n * Ends a turn that never began.",
      "const outcome = await carryOut(run, lease, release(foldSettlement(lease, record)));\n  if (outcome === 'done') tellEnding(run, lease, record);\n  await ledger.putHistory(record);\n  return outcome;\n}\n\n/**\n * Ends a turn that never began.",
    ),
    inController(
      'commit-settlement',
      "const put = await ledger.putHistory(proposed).catch(() => 'unknown' as const);",
      "const put = 'done' as string;",
    ),
    inController(
      'commit-settlement',
      '  { lease, contract, release }: Follow,\n): Promise<WriteOutcome> {',
      '  { lease, contract, release }: Follow,\n): Promise<WriteOutcome> {\n  const { ledger } = run.ports;',
    ),
  ),
  mutant(
    'history decided anew',
    'whoever finds a history folds it',
    inController(
      'commit-settlement',
      "const record = put === 'done' ? proposed : await findSettlement(run, ending.lease);",
      'const record = put === undefined ? undefined : proposed;',
    ),
    inController(
      'settle-turn',
      'if (committed !== undefined) return goOnFrom(',
      'if (committed === null) return goOnFrom(',
    ),
  ),
  mutant(
    'unknown counts as done',
    'an unknown result is looked up',
    inController('carry-out', "return write.mine(look.stored) ? 'done' : answer;", "return 'done';"),
  ),
];
