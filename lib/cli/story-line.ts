import type { Instant } from '../core/issue.ts';
import type { Colors } from './cli-context.ts';
import { harmlessLine } from './harmless-text.ts';
import { clockTime } from './time-text.ts';
import { colorOf, type Tone } from './tones.ts';

/** One line of the story that `start` tells. */
export interface StoryLine {
  readonly time: Instant;
  /** The issue, or what else the line is about; shown as one column. */
  readonly subject: string;
  /** What was decided or what happened, in a word or two. */
  readonly word: string;
  readonly tone: Tone;
  /** A reason of the closed list, a failure class, or a rule. */
  readonly reason?: string | undefined;
  readonly text: string;
}

const widestSubject = 24;
const wordWidth = 10;

/** Renders lines so that their columns stay aligned with those before: the column of issues only grows. */
export function storyLineRenderer(colors: Colors): (line: StoryLine) => string {
  let subjectWidth = 8;
  return ({ time, subject, word, tone, reason, text }) => {
    const name = harmlessLine(subject);
    subjectWidth = Math.max(subjectWidth, Math.min(name.length, widestSubject));
    const because = reason === undefined || reason === word ? '' : `${colors.dim(harmlessLine(reason))}: `;
    return [
      colors.dim(clockTime(time)),
      colors.bold(name.padEnd(subjectWidth)),
      colorOf(tone, colors)(word.padEnd(wordWidth)),
      because + harmlessLine(text),
    ].join('  ');
  };
}
