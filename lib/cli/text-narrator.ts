import { createLogUpdate } from 'log-update';
import type { Instant } from '../core/issue.ts';
import type { HostEnd, HostEvent } from '../host/host.ts';
import { colorsOf, type Terminal, writeText } from './cli-context.ts';
import { harmlessBlock } from './harmless-text.ts';
import type { Narrator } from './narrator.ts';
import { renderHeader } from './start-header.ts';
import { makeStory, type Story, type StoryCounts } from './story.ts';
import { storyLineRenderer } from './story-line.ts';
import { roughDuration } from './time-text.ts';

/**
 * Tells the story line by line. On a terminal that takes colour a last line with the counts is kept up to date below it;
 * elsewhere there are only lines.
 */
export function textNarrator(stderr: Terminal, now: () => Instant, cwd: string): Narrator {
  const colors = colorsOf(stderr);
  const render = storyLineRenderer(colors);
  const live = liveLine(stderr, now);
  const early: HostEvent[] = [];
  let story: Story | undefined;

  const tell = (event: HostEvent) => {
    if (story === undefined) {
      early.push(event);
      return;
    }
    const lines = story.tell(event).map(render);
    live.above(lines, story.counts());
  };

  return {
    tell,
    begin(host, started) {
      writeText(stderr, renderHeader(host, started, cwd, colors));
      const isOne = host.boards.length === 1;
      story = makeStory(now, (board, key) => (isOne ? key : `${board} ${key}`));
      for (const event of early.splice(0)) tell(event);
    },
    end(end) {
      live.close();
      writeText(stderr, harmlessBlock(describeEnd(end)));
    },
    fail: () => false,
  };
}

/** `3 running · 2 waiting · 1 parked · 4 in review · next tick in 3 s` */
export function describeCounts(counts: StoryCounts, now: Instant): string {
  const { running, waiting, parked, inReview, nextTickAt } = counts;
  const next =
    nextTickAt === undefined
      ? []
      : [nextTickAt <= now ? 'a tick is due' : `next tick in ${roughDuration(nextTickAt - now)}`];
  return [
    `${running} running`,
    `${waiting} waiting`,
    `${parked} parked`,
    `${inReview} in review`,
    ...next,
  ].join(' · ');
}

interface LiveLine {
  /** Writes lines above the counts. */
  above(lines: readonly string[], counts: StoryCounts): void;
  close(): void;
}

function liveLine(stderr: Terminal, now: () => Instant): LiveLine {
  if (!stderr.isRich) {
    return {
      above: (lines) => {
        for (const line of lines) writeText(stderr, line);
      },
      close: () => undefined,
    };
  }
  const colors = colorsOf(stderr);
  const update = createLogUpdate(stderr.stream);
  let counts: StoryCounts | undefined;
  const show = () => {
    if (counts !== undefined) update(colors.dim(describeCounts(counts, now())));
  };
  const timer = setInterval(show, 1_000).unref();
  return {
    above(lines, latest) {
      counts = latest;
      if (lines.length > 0) {
        update.clear();
        for (const line of lines) writeText(stderr, line);
      }
      show();
    },
    close() {
      clearInterval(timer);
      update.clear();
      update.done();
    },
  };
}

function describeEnd(end: HostEnd): string {
  switch (end.kind) {
    case 'stopped':
      return end.liveTurns === 0
        ? 'Ended. Nothing is running.'
        : `Ended. ${end.liveTurns} of its turns go on and are adopted at the next start.`;
    case 'idle':
      return [
        'Idle: nothing runs, and nothing is due.',
        ...end.trouble.map((trouble) => `  ! ${trouble}`),
      ].join('\n');
    case 'failed':
      return `evenkeel: ${end.problem}`;
  }
}
