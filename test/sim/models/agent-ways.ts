import type { TurnResult } from '../../../lib/core/turn-protocol.ts';
import type { Risk } from '../fate.ts';
import type { Setting } from './calls.ts';

/** How the agent of one turn behaves. */
export interface AgentWay {
  readonly kind: string;
  /** Undefined: it never ends by itself. */
  readonly endsInMs: number | undefined;
  readonly ending: 'result' | 'crash' | 'mute';
  readonly heartbeats: boolean;
  readonly progresses: boolean;
  /** It goes on, and goes on calling, whatever it is told, until it is killed. */
  readonly isDeaf: boolean;
  readonly lingersMs: number;
  /** Turned away at the gate, it calls all the same. */
  readonly isPushy: boolean;
}

const failures = [
  'infrastructure',
  'agent',
  'verification',
  'authentication',
  'billing',
  'delivery',
  'policy',
] as const;

const risks: readonly Risk[] = [
  ...failures.map((name) => ({ kind: `failed ${name}`, of: `agent.failed-${name}` })),
  ...failures.map((name) => ({ kind: `failed-for-good ${name}`, of: 'agent.failed-for-good' })),
  { kind: 'nothing', of: 'agent.nothing' },
  { kind: 'question', of: 'agent.question' },
  { kind: 'crash', of: 'agent.crash' },
  { kind: 'mute', of: 'agent.mute' },
  { kind: 'hang', of: 'agent.hang' },
  { kind: 'silent', of: 'agent.silent' },
  { kind: 'deaf', of: 'agent.deaf' },
  { kind: 'pushy', of: 'agent.pushy' },
  { kind: 'lingers', of: 'agent.lingers', minMs: 60_000, maxMs: 900_000 },
  { kind: 'slow', of: 'agent.slow', minMs: 400_000, maxMs: 1_200_000 },
];

/** Unless fate has something else for it, an agent does its work and ends well. */
export function agentWay({ fate, saw }: Setting, name: string): AgentWay {
  const fault = fate.decide(`agent ${name}`, risks);
  const kind = fault?.kind ?? 'works';
  saw(`agent ${kind}`);
  const usual: AgentWay = {
    kind,
    endsInMs: 15_000 + Math.round(200_000 * fate.draw(`agent ${name}`)),
    ending: 'result',
    heartbeats: true,
    progresses: true,
    isDeaf: false,
    lingersMs: 0,
    isPushy: kind === 'pushy',
  };
  switch (kind) {
    case 'crash':
    case 'mute':
      return { ...usual, ending: kind };
    case 'hang':
      return { ...usual, endsInMs: undefined, progresses: false };
    case 'silent':
      return { ...usual, endsInMs: undefined, heartbeats: false };
    case 'deaf':
      return { ...usual, endsInMs: 1_500_000, isDeaf: true };
    case 'lingers':
      return { ...usual, lingersMs: fault?.ms ?? 60_000 };
    case 'slow':
      return { ...usual, endsInMs: fault?.ms ?? 600_000 };
    default:
      return usual;
  }
}

/** What the agent's turn reports. `luck` decides what it cost, and whether that is known. */
export function resultOf({ kind }: AgentWay, branch: string, luck: number): TurnResult {
  const usage = luck < 0.2 ? {} : { usage: { usd: Math.round(luck * 100) / 100, tokens: 1_000 } };
  const [how, failureClass] = kind.split(' ');
  if (how === 'failed' || how === 'failed-for-good')
    return {
      version: 1,
      status: 'failed',
      failure: {
        class: failureClass as (typeof failures)[number],
        kind: 'simulated',
        detail: `it failed (${failureClass})`,
        retryable: how === 'failed',
      },
      verify: [],
      ...(failureClass === 'verification' ? { feedback: 'the gate said no' } : {}),
      ...usage,
    };
  if (how === 'question')
    return { version: 1, status: 'question', question: 'Which one?', verify: [], ...usage };
  const commits = how === 'nothing' ? 0 : 1;
  const git = { branch, commits, files: commits, pushed: commits > 0 };
  return { version: 1, status: 'completed', git, verify: [], ...usage };
}
