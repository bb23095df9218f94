import { inController, inCore, type Mutant, mutant } from './mutant.ts';

/** Rules of the one planner, and of what happens when the ledger is lost. */
export const planMutants: readonly Mutant[] = [
  mutant(
    'caps counted per tick',
    'caps hold over what is live',
    inController(
      'plan-boards',
      "let used = leases.filter((lease) => lease.phase !== 'idle').length;",
      'let used = 0 * leases.length;',
    ),
    inCore(
      'slots',
      "const held = [...leases].filter((lease) => lease.phase !== 'idle');",
      'const held = [...leases].slice(0, 0);',
    ),
  ),
  mutant(
    'launches hold no slot',
    'a launch holds a slot before anybody works',
    inController(
      'plan-boards',
      "let used = leases.filter((lease) => lease.phase !== 'idle').length;",
      "let used = leases.filter((lease) => lease.phase === 'running').length;",
    ),
    inCore(
      'slots',
      "const held = [...leases].filter((lease) => lease.phase !== 'idle');",
      "const held = [...leases].filter((lease) => lease.phase === 'running');",
    ),
  ),
  mutant(
    'columns counted as they are now',
    'a turn holds the slots that are frozen on its lease',
    inCore(
      'slots',
      'for (const key of lease.capStates ?? [])',
      'for (const key of (lease.capStates ?? []).slice(1))',
    ),
  ),
  mutant(
    'pause past the planner',
    'a paused board starts nothing',
    inCore('admission', '  notPaused,\n  contractHolds,', '  contractHolds,'),
  ),
  mutant(
    'parked started',
    'a parked issue waits for a person',
    inCore('admission', '  notParked,\n  turnsLeft,', '  turnsLeft,'),
    inCore('launch-writes', "    { field: 'parked', is: 'absent' },\n", ''),
  ),
  mutant(
    'retries at once',
    'a retry waits until it is due',
    inCore('admission', '  retryDue,\n', ''),
    inCore('launch-writes', "[...free, { field: 'nextAt', is: 'absent' }],", '[...free],'),
  ),
  mutant(
    'turns without end',
    'turns are bounded without a person',
    inCore('admission', '  turnsLeft,\n  retryDue,', '  retryDue,'),
    inCore(
      'verdict',
      'if (turns < workflow.agent.max_turns) return verdict;',
      'if (turns > 0) return verdict;',
    ),
  ),
  mutant('budget ignored', 'a budget that is spent stops', inCore('admission', '  issueBudgetLeft,\n', '')),
  mutant(
    'anyone trusted',
    'only who may start work starts it',
    inCore('admission', '  movedByTrusted,\n', ''),
    inController('start-turn', '=== undefined && issue.trusted === true;', '=== undefined;'),
  ),
  mutant(
    'started from the list',
    'a start follows a read by id',
    inController('start-turn', '    !isWanted(run, reading.issue, contract) ||\n', ''),
  ),
  mutant(
    'started from another column',
    'a slot is used in the column in which it was counted',
    inController(
      'start-turn',
      '    !standsAsListed(reading.issue, listed)\n',
      '    (reading.issue.state === undefined && !standsAsListed(reading.issue, listed))\n',
    ),
  ),
  mutant(
    'launched whatever the look-up shows',
    'a card that is closed while it is moved is not launched',
    inController(
      'start-turn',
      "if (move.kind === 'moved') return readinessOf(run, move.stands, contract);",
      "if (move.kind === 'moved') return 'ready';",
    ),
  ),
  mutant(
    'launched from the claim',
    'a launch follows a read of its own',
    inController(
      'start-turn',
      "return isWanted(run, reading.issue, contract) ? 'ready' : { kind: 'unwanted', reason: 'not-active' };",
      "return isWanted(run, reading.issue, contract) ? 'ready' : 'ready';",
    ),
  ),
  mutant(
    'ledger opened at once',
    'the ledger opens when what was on its way has landed',
    inController(
      'look',
      'const ripe = now >= since + ports.settings.timing.reopenAfterMs;',
      'const ripe = now >= since;',
    ),
  ),
  mutant(
    'ledger opened before adoption',
    'the ledger opens when each live task is leased or gone',
    inController('look', "if (leased !== 'all') return closed(false, leased);", ''),
    inController(
      'look',
      'if (row === undefined && (await adoptTask(run, task))) continue;',
      'if (row === undefined) continue;',
    ),
  ),
  mutant(
    'restored under the old generation',
    'leases that come out of a backup are read by nobody',
    inCore(
      'tick-writes',
      "[{ field: 'gen', is: 'equal', value: old }], { gen });",
      "[{ field: 'gen', is: 'equal', value: old }], { gen: old });",
    ),
  ),
  mutant(
    'stop while the ledger is lost',
    'running turns wait while the ledger is lost',
    inController(
      'turn-caller',
      "  answer: 'wait',\n  reason: 'the ledger is lost; running turns are being adopted',",
      "  answer: 'stop',\n  keepWork: false,\n  reason: 'the ledger is lost; running turns are being adopted',",
    ),
  ),
  mutant(
    'platform blamed on the agent',
    'trouble of the platform uses up no try',
    inCore(
      'verdict',
      "if (evidence?.cause === 'platform' || evidence?.cause === 'gone') {",
      "if (evidence?.cause === 'gone') {",
    ),
  ),
  mutant(
    'calls left under way',
    'a handler ends when its calls have ended',
    inController(
      'wait-for-all',
      'const ended = await Promise.allSettled(calls);',
      'await Promise.all(calls);\n  const ended = await Promise.allSettled(calls);',
    ),
  ),
];
