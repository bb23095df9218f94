import type { ChildProcess } from 'node:child_process';
import type { AgentUser } from './agent-user.ts';
import { killAll } from './kill-all.ts';
import { type Command, markCommand } from './mark-command.ts';
import { machineProcesses, type ProcessEntry, type Processes } from './process-table.ts';

/** The processes of one turn, the turn program itself left out. */
export interface ProcessFamily {
  /** How to start a program with the agent's authority, so that it, and what it starts, is known as the turn's. */
  mark(command: Command): Command;
  /** Counts the group that this child leads as the turn's, also for members that hide whose they are. */
  adopt(child: Pick<ChildProcess, 'pid' | 'once'>): void;
  /** Who is alive now. */
  look(): Promise<readonly ProcessEntry[]>;
  /** Ends everybody of the agent's own user at one blow; nobody where it has none. */
  sweep(): Promise<void>;
}

/**
 * Whoever carries the turn's cookie or its mark, was started in a group of the turn, or descends from one of these: also
 * in a session of its own, and also after its parent has ended, if it was seen before. On Linux only a program that sets
 * its own limits can hide from this; where there is no mark, one that drops the cookie, leaves its group and loses its
 * parent between two looks cannot be told from a stranger's. Where the agent has a user of its own, nobody hides: every
 * process of that user is the turn's.
 */
export function processFamily(
  cookie: string,
  processes: Processes = machineProcesses,
  user?: AgentUser,
): ProcessFamily {
  /** When the first of each group began, by the group's number. */
  const groups = new Map<number, string>();
  let justEnded = new Set<number>();
  let known = new Set<string>();
  let latest: Promise<readonly ProcessEntry[]> = Promise.resolve([]);

  /**
   * A number is given out again only once its group is empty. It is not, as long as its first process is there, zombies
   * included, or one that was seen in it before. The moment of the first one's end is too short for a stranger to get the
   * number, found others in the group and ended as well.
   */
  function forgetLostGroups(table: readonly ProcessEntry[], ending: ReadonlySet<number>): void {
    for (const [group, start] of groups) {
      const isOurs = (p: ProcessEntry) =>
        p.pid === group ? p.start === start : ending.has(group) || known.has(nameOf(p));
      const members = table.filter((p) => p.group === group);
      const isTaken = members.some((p) => p.pid === group && p.start !== start);
      if (isTaken || !members.some(isOurs)) groups.delete(group);
    }
  }

  async function lookNow(): Promise<readonly ProcessEntry[]> {
    const ending = justEnded;
    justEnded = new Set();
    const table = (await processes.read(cookie, user?.uid)).filter(({ pid }) => pid !== process.pid);
    forgetLostGroups(table, ending);
    const living = table.filter(({ isZombie }) => !isZombie);
    const members = new Map<number, ProcessEntry>();
    const waiting = living.filter((p) => p.isMarked || groups.has(p.group) || known.has(nameOf(p)));
    for (let member = waiting.pop(); member !== undefined; member = waiting.pop()) {
      if (members.has(member.pid)) continue;
      members.set(member.pid, member);
      const { pid } = member;
      waiting.push(...living.filter(({ ppid }) => ppid === pid));
    }
    known = new Set([...members.values()].map(nameOf));
    return [...members.values()];
  }

  /** One after the other: each leans on whom the one before has seen. */
  function look(): Promise<readonly ProcessEntry[]> {
    latest = latest.catch(() => undefined).then(lookNow);
    return latest;
  }

  return {
    mark: (command) => ({
      ...markCommand(cookie, command),
      ...(user === undefined ? {} : { uid: user.uid, gid: user.gid }),
    }),
    adopt(child) {
      const { pid } = child;
      const start = pid === undefined ? undefined : processes.startOf(pid);
      if (pid === undefined || start === undefined) return;
      groups.set(pid, start);
      child.once('exit', () => {
        justEnded.add(pid);
        look().catch(() => undefined);
      });
    },
    look,
    sweep: async () => user && killAll(user),
  };
}

function nameOf({ pid, start }: ProcessEntry): string {
  return `${pid}:${start}`;
}
