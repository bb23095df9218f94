import {
  adopted,
  announced,
  beat,
  begun,
  claim,
  claimed,
  confirmed,
  contract,
  counted,
  end,
  intended,
  launched,
  of,
  read,
  released,
  running,
  settled,
  started,
  stopAsked,
  stoppedSeen,
  type Told,
  tick,
  told,
  turn,
  work,
  write,
  written,
} from './trace-story.ts';

/** More runs than ever overlap. */
const readByMany = Array.from({ length: 32 }, (_, n) => read('active', { invocation: `run-${n}` }));

/** By rule: stories that break this rule and no other. The first of each is also the one whose message is checked. */
export const brokenPromises: Readonly<Record<string, Readonly<Record<string, readonly Told[]>>>> = {
  'one-live-turn': {
    'two turns of one issue at once': [...begun, ...claim('t2', 2), started('t1'), started('t2')],
    'a turn adopted beside a live one': [...running, adopted('t2')],
    'a turn nobody knew of calls beside a live one': [tick(7), ...claim('t2'), started('t2'), beat('t1')],
    'a stop that was asked for but not seen': [
      ...begun,
      ...claim('t2', 2),
      started('t1'),
      stopAsked('t1'),
      started('t2'),
    ],
    'two turns that go on calling, once': [
      ...begun,
      ...claim('t2', 2),
      started('t1'),
      started('t2'),
      beat('t2'),
      beat('t1'),
    ],
  },
  'no-claim-while-live': {
    'a claim beside a live turn': [...running, ...claim('t2', 2)],
    'a claim beside a turn that was adopted after the loss of the ledger': [
      ...running,
      tick(1, { gen: 'g2' }),
      adopted('t1'),
      ...claim('t2', 2),
    ],
    'a claim beside a turn that still calls after the loss of the ledger': [
      ...running,
      tick(1, { gen: 'g2' }),
      beat('t1'),
      ...claim('t2', 2),
    ],
  },
  'one-container': {
    'two containers of one turn': [...running, started('t1', { arn: 'other' })],
    'another container of an adopted turn': [tick(1), adopted('t1'), started('t1', { arn: 'other' })],
    'a started turn adopted with another container': [
      ...running,
      told('adopted', { turnId: 't1', arn: 'other' }),
    ],
  },
  'no-start-after-end': {
    'a start after the release': [...begun, released('t1'), started('t1')],
    'a start of another container after the stop was seen': [
      ...begun,
      stoppedSeen('t1', { arn: 'first' }),
      started('t1'),
    ],
    'a start after a stop that names no container': [
      ...begun,
      told('stopped-seen', { turnId: 't1' }),
      started('t1', { arn: undefined }),
    ],
    'an adoption after the release': [...begun, released('t1'), adopted('t1')],
  },
  'release-by-evidence': {
    'a release of a turn that nobody saw stopped': [...running, released('t1')],
    'a settlement while the turn works': [...running, settled('t1')],
    'the end of another container': [...running, stoppedSeen('t1', { arn: 'other' }), released('t1')],
    'a release of a turn that is only known by its call': [tick(7), beat('t1'), released('t1')],
    'a release of an adopted turn that nobody saw stopped': [tick(1), adopted('t1'), released('t1')],
  },
  'settled-once': {
    'two settlements': [...begun, ...work('t1'), settled('t1'), settled('t1')],
  },
  'claim-confirm-start': {
    'a confirmation without a claim': [tick(1), confirmed('t1')],
    'a launch that was not confirmed': [tick(1), claimed('t1'), launched('t1')],
    'a start that was not confirmed': [tick(1), claimed('t1'), started('t1')],
    'a start without any claim': [tick(1), started('t1')],
    'a confirmation of a turn that was only heard of': [
      tick(1),
      told('refused', { turnId: 't1' }),
      confirmed('t1'),
    ],
    'a start of a turn that was only heard of': [tick(1), told('refused', { turnId: 't1' }), started('t1')],
    'a launch that was not confirmed, in a trace that begins in the middle': [
      tick(7),
      claimed('t1'),
      launched('t1'),
    ],
  },
  'turn-claimed-once': {
    'a turnId that is claimed twice': [tick(1), claimed('t1', { attempt: 1 }), claimed('t1', { attempt: 2 })],
    'a turnId that another issue used': [...turn('t1', 1, 1), tick(2), claimed('t1', { issue: 'i2' })],
  },
  'attempt-rises': {
    'an attempt that repeats': [...turn('t1', 2, 1), tick(2), ...claim('t2', 2, 2)],
  },
  'no-claim-while-writing': {
    'a claim while a write is open': [...begun, ...announced, tick(2), ...claim('t2', 2, 2)],
    'a refusal of something else': [
      ...begun,
      ...announced,
      told('refused', { reason: 'comment-failed' }),
      ...claim('t2', 2),
    ],
    'the refusal of another write': [
      ...begun,
      ...announced,
      told('refused', { to: 'Todo' }),
      ...claim('t2', 2),
    ],
  },
  'parked-until-reset': {
    'a claim of a parked issue': [tick(1), told('parked'), ...claim('t1')],
    'a claim of an issue parked before the first tick': [told('parked'), ...begun],
  },
  'retry-not-early': {
    'a retry before its time': [
      tick(1),
      told('retry-scheduled', { until: 9_000 }),
      claimed('t1'),
      { ...confirmed('t1'), time: 8_999 },
    ],
  },
  'contract-valid': {
    'a claim under an invalid contract': [tick(1), contract(1, false), ...claim('t1')],
    'a claim of an older tick after a newer one found the contract valid': [
      tick(1),
      contract(1, false),
      tick(2),
      contract(2, true),
      ...claim('t1', 1, 1),
    ],
    'a claim in a run without an epoch': [
      told('tick-started'),
      told('contract-checked', { valid: false }),
      told('claimed', { turnId: 't1' }),
    ],
  },
  cap: {
    'one claim too many': [tick(1), counted(1, 1, 2), ...claim('t1'), ...of('i2', claim('t2'))],
    'two claims for the slot of a turn that was settled and released': [
      tick(1),
      counted(1, 1, 1),
      ...of('i0', end('t0')),
      ...claim('t1'),
      ...of('i2', claim('t2')),
    ],
    'a claim with a cap of zero': [tick(1), counted(1, 0, 0), ...claim('t1')],
  },
  'epoch-once': {
    'an epoch that is taken twice': [tick(1), tick(1)],
  },
  'write-announced': {
    'a write that was not announced': [...begun, read('active'), written('t1')],
    'a write to another state than announced': [...begun, ...announced, written('t1', { to: 'Todo' })],
    'a write announced by another turn': [...begun, read('active'), intended('t0'), written('t1')],
    'a write that is made twice': [...begun, ...write('t1'), read('active'), written('t1')],
  },
  'write-after-read': {
    'a write that nobody read for': [...begun, intended('t1')],
    'a write after the read of another run': [
      ...begun,
      read('active', { invocation: 'other' }),
      intended('t1'),
    ],
    'a second write on one read': [...begun, ...announced, written('t1'), intended('t1')],
    'a write after a failed read': [
      ...begun,
      read('active'),
      told('issue-read', { reason: 'unknown' }),
      intended('t1'),
    ],
    'a write announced after its own read showed a close': [...begun, read('terminal'), intended('t1')],
    'a write after the issue was seen gone': [
      ...begun,
      read('active'),
      told('issue-read', { reason: 'gone' }),
      intended('t1'),
    ],
    'a write after a read that many others followed': [
      ...begun,
      read('active'),
      ...readByMany,
      intended('t1'),
    ],
  },
  'terminal-wins': {
    'a write after another run saw the close': [
      ...begun,
      ...announced,
      read('terminal', { invocation: 'other', time: 10_000 }),
      written('t1', { time: 20_001 }),
    ],
  },
  'declared-role': {
    'a write to a state that is no write point': [
      ...begun,
      read('active'),
      intended('t1', { role: 'terminal' }),
    ],
  },
  'person-decides': {
    'a write over a state that a person chose': [...begun, read('other'), intended('t1'), written('t1')],
    'a write over a hand-off': [...begun, read('handoff'), intended('t1'), written('t1')],
  },
  'no-write-after-stop': {
    'a late success after a stop': [...running, stopAsked('t1'), ...announced],
  },
  'write-seen-through': {
    'a settlement with a write open': [...begun, ...work('t1'), ...announced, settled('t1')],
    'a release with a write open': [...begun, ...announced, released('t1')],
  },
};
