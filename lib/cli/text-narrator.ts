import type { Instant } from '../core/issue.ts';
import type { HostEnd, HostEvent } from '../host/host.ts';
import { colorsOf, type Terminal, writeText } from './cli-context.ts';
import type { WriteCommand } from './commands-for.ts';
import { harmlessBlock } from './harmless-text.ts';
import { liveLine } from './live-line.ts';
import type { Narrator } from './narrator.ts';
import { describeReview } from './review-text.ts';
import { renderHeader } from './start-header.ts';
import { makeStory, type Story, type StoryCounts } from './story.ts';
import { storyLineRenderer } from './story-line.ts';
import { roughDuration } from './time-text.ts';

/**
 * Tells the story line by line. On a terminal that takes colour a last line with the counts is kept up to date below it;
 * elsewhere there are only lines.
 */
export function textNarrator(
  stderr: Terminal,
  {
    now,
    cwd,
    command,
  }: { readonly now: () => Instant; readonly cwd: string; readonly command: WriteCommand },
): Narrator {
  const colors = colorsOf(stderr);
  const render = storyLineRenderer(colors);
  const early: HostEvent[] = [];
  let story: Story | undefined;
  const live = liveLine(stderr, () => story && describeCounts(story.counts(), now()));

  const tell = (event: HostEvent) => {
    if (story === undefined) {
      early.push(event);
      return;
    }
    live.above(story.tell(event).map(render));
  };

  return {
    tell,
    begin(host, started) {
      writeText(stderr, renderHeader(host, started, cwd, colors));
      const isOne = host.boards.length === 1;
      story = makeStory(now, { issue: (board, key) => (isOne ? key : `${board} ${key}`), command });
      for (const event of early.splice(0)) tell(event);
    },
    end(end) {
      live.close();
      writeText(stderr, harmlessBlock(describeEnd(end, story?.counts())));
    },
    leave() {
      live.close();
      writeText(stderr, describeLeave(story?.counts().running ?? 0));
    },
    fail: () => false,
  };
}

/** `3 running · 2 waiting · 1 parked · 4 in review · next tick in 3 s` */
export function describeCounts(counts: StoryCounts, now: Instant): string {
  const { nextTickAt } = counts;
  const all = `${counts.running} running · ${describeRest(counts)}`;
  if (nextTickAt === undefined) return all;
  return `${all} · ${nextTickAt <= now ? 'a tick is due' : `next tick in ${roughDuration(nextTickAt - now)}`}`;
}

function describeRest({ waiting, parked, inReview, parkedInReview }: StoryCounts): string {
  return `${waiting} waiting · ${parked} parked · ${describeReview(inReview, parkedInReview)}`;
}

function describeLeave(running: number): string {
  if (running === 0) return 'Left at once. Nothing is running.';
  const turns =
    running === 1
      ? '1 turn still runs and ends by itself or is'
      : `${running} turns still run and end by themselves or are`;
  return `Left at once. ${turns} adopted at the next start.`;
}

function describeEnd(end: HostEnd, counts: StoryCounts | undefined): string {
  switch (end.kind) {
    case 'stopped':
      return end.liveTurns === 0
        ? 'Ended. Nothing is running.'
        : `Ended. ${end.liveTurns} of its turns go on and are adopted at the next start.`;
    case 'idle': {
      const rest = counts === undefined ? '' : ` (${describeRest(counts)})`;
      const trouble = end.trouble.map((one) => `  ! ${one}`);
      return [`Idle: nothing runs, and nothing is due${rest}.`, ...trouble].join('\n');
    }
    case 'failed':
      return `evenkeel: ${end.problem}`;
  }
}
