import { type ProcessEntry, readProcessTable } from './process-table.ts';

/** The processes of one turn, the turn program itself left out. */
export interface ProcessFamily {
  /** Counts the process group as the turn's, also for members that hide the cookie. */
  adopt(group: number): void;
  /** Who is alive now. */
  look(): Promise<readonly ProcessEntry[]>;
}

/**
 * Whoever carries the turn's cookie, was started in a group of the turn, or descends from one of these: also in a session
 * of its own, and also after its parent has ended, if it was seen before. A process that drops the cookie, leaves its
 * group and loses its parent between two looks cannot be told from a stranger's.
 */
export function processFamily(cookie: string): ProcessFamily {
  const groups = new Set<number>();
  let known = new Set<string>();

  return {
    adopt: (group) => void groups.add(group),
    async look() {
      const table = (await readProcessTable(cookie)).filter(({ pid }) => pid !== process.pid);
      const members = new Map<number, ProcessEntry>();
      const waiting = table.filter((p) => p.carriesCookie || groups.has(p.group) || known.has(nameOf(p)));
      for (let member = waiting.pop(); member !== undefined; member = waiting.pop()) {
        if (members.has(member.pid)) continue;
        members.set(member.pid, member);
        const { pid } = member;
        waiting.push(...table.filter(({ ppid }) => ppid === pid));
      }
      known = new Set([...members.values()].map(nameOf));
      return [...members.values()];
    },
  };
}

function nameOf({ pid, start }: ProcessEntry): string {
  return `${pid}:${start}`;
}
