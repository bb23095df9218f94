import type { PullRequests } from '../../../lib/controller/ports.ts';
import { boardOfRepository, type SimBoard } from '../checks/truth.ts';
import type { Risk } from '../fate.ts';
import { latestLandingMs } from '../flavours.ts';
import type { Proc } from '../kernel.ts';
import { callPart, killRisks, type Setting } from './calls.ts';

/** Who is told of the pull requests that our processes put. */
export interface PullRequestWatch {
  putSent(proc: Proc, board: SimBoard, branch: string): void;
}

const fail: Risk = { kind: 'fail', of: 'code.fail' };
const putRisks: readonly Risk[] = [
  ...killRisks,
  fail,
  { kind: 'lost', of: 'code.lost' },
  { kind: 'refused', of: 'code.refused' },
];
const late: Risk = { kind: 'late', of: 'code.late', minMs: 6_000, maxMs: latestLandingMs };

/** One process's way to the code hosts of the boards. */
export function simPullRequests(
  setting: Setting,
  boards: readonly SimBoard[],
  watch: PullRequestWatch,
  proc: Proc,
): PullRequests {
  const ofMachine = setting.flavour.place === 'machine';
  return {
    quota: () => undefined,
    async put(repository, { branch }) {
      const board = boardOfRepository(boards, repository);
      watch.putSent(proc, board, branch);
      return callPart(setting, proc, 'code-host', {
        operation: 'put',
        about: branch,
        risks: ofMachine ? putRisks : [...putRisks, late],
        effect: (fault) =>
          fault === 'refused'
            ? { kind: 'refused', problem: 'sim: it is forbidden' }
            : board.cards.host.put(branch),
      });
    },
    async merged(repository, _base, branches) {
      if (branches.length === 0) return new Map();
      const { host } = boardOfRepository(boards, repository).cards;
      return callPart(setting, proc, 'code-host', {
        operation: 'merged',
        about: repository,
        risks: [...killRisks, fail],
        effect: () =>
          new Map(
            branches.flatMap((branch) => {
              const at = host.mergedAt(branch);
              return at === undefined ? [] : [[branch, at]];
            }),
          ),
      });
    },
  };
}
