import type { OpenBoardAccess } from '../../../functions/lambda/board-access.ts';
import { localBoard } from '../../../lib/adapters/local-board/local-board.ts';
import { noAccess } from '../no-access.ts';

/** Folders as boards: no deployment can read them, and a test needs no vendor to see whole turns. */
export const localBoards: OpenBoardAccess = () => ({
  tracker: ({ tracker }) => localBoard({ folder: tracker.project, terminalStates: tracker.terminal_states }),
  gitTokens: () => noAccess.gitTokens,
  pullRequests: () => noAccess.pullRequests,
});
