import type { TrackerOf } from './deployed-boards.ts';

/** The trackers that this version serves from a deployment. */
export const trackerOf: TrackerOf = ({ tracker }) => {
  throw new Error(
    `tracker.kind ${tracker.kind} is not supported by this version's functions; serve the board with \`evenkeel start\` on one machine`,
  );
};
