import type { Action } from '../core/decision.ts';
import type { Colors } from './cli-context.ts';

/** How a word is meant: work that goes on, work that is done, a wait, trouble, or nothing special. */
export type Tone = 'go' | 'good' | 'wait' | 'bad' | 'quiet';

export function colorOf(tone: Tone, colors: Colors): (text: string) => string {
  switch (tone) {
    case 'go':
      return colors.cyan;
    case 'good':
      return colors.green;
    case 'wait':
      return colors.yellow;
    case 'bad':
      return colors.red;
    case 'quiet':
      return colors.dim;
  }
}

export function colorOfAction(action: Action, colors: Colors): (text: string) => string {
  return colorOf(toneOfAction[action], colors);
}

export const toneOfAction: Readonly<Record<Action, Tone>> = {
  start: 'go',
  repeat: 'go',
  adopt: 'go',
  stop: 'wait',
  settle: 'good',
  release: 'good',
  'finish-write': 'go',
  reset: 'go',
  forget: 'quiet',
  keep: 'go',
  wait: 'wait',
  ignore: 'quiet',
};
