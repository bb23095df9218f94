import type { Written } from '../../controller/ports.ts';
import { type Issue, stateKey } from '../../core/issue.ts';
import { openFile } from './board-folder.ts';
import { readStates } from './board-states.ts';
import { decode } from './issue-file.ts';
import { replaceState } from './replace-state.ts';
import { type SwapTiming, swapFile } from './swap-file.ts';

/**
 * Writes the issue's state, in the spelling of board.yaml, if its file still has the content with this print. Throws
 * when it is not known whether the file was written, and while nothing can be written on the board.
 */
export async function moveIssue(
  folder: string,
  issue: Issue,
  print: string,
  to: string,
  timing: SwapTiming,
): Promise<Written> {
  const target = await findState(folder, to);
  // Nothing can be said of a board that is just being written; the next look decides.
  if (target === 'unreadable') return { kind: 'changed' };
  if ('problem' in target) return { kind: 'rejected', problem: target.problem };
  const found = openFile(folder, issue.key);
  if (found === 'absent' || found.kind === 'unreadable' || found.print !== print) return { kind: 'changed' };
  if (issue.state !== undefined && stateKey(issue.state) === stateKey(target.name))
    return { kind: 'written' };
  const text = replaceState(decode(found.bytes) ?? '', target.name);
  if (text === undefined) {
    return { kind: 'rejected', problem: `${issue.key}.md needs a plain line \`state: NAME\` to be moved.` };
  }
  const swap = await swapFile(found.path, print, Buffer.from(text), timing);
  if (swap.kind === 'refused') {
    const problem = describeRefusal(issue.key, swap.error);
    // It says nothing of this issue: a disk that is full, or a folder that is read-only, is so for all of them.
    if (swap.ofFolder) throw new Error(problem);
    return { kind: 'rejected', problem };
  }
  return { kind: swap.kind === 'swapped' ? 'written' : 'changed' };
}

async function findState(
  folder: string,
  name: string,
): Promise<{ readonly name: string } | { readonly problem: string } | 'unreadable'> {
  try {
    const states = await readStates(folder);
    const found = states.find((state) => stateKey(state.name) === stateKey(name));
    return (
      found ?? {
        problem: `The board has no state '${name}'; it has ${states.map((one) => one.name).join(', ')}.`,
      }
    );
  } catch {
    return 'unreadable';
  }
}

function describeRefusal(key: string, { code, message }: NodeJS.ErrnoException): string {
  const remedies: Readonly<Record<string, string>> = {
    EACCES: 'it or its folder is read-only; make both writable for the user who runs this',
    EROFS: 'its file system is read-only',
    EPERM: 'it belongs to another user or group, or its file system has no hard links',
    ENOTSUP: 'its file system has no hard links; keep the board on another',
    ENOSPC: 'the disk is full',
    EDQUOT: 'the disk quota is used up',
    EFBIG: 'a limit of file sizes is reached',
    ENAMETOOLONG: 'its name is too long; shorten it',
  };
  return `${key}.md cannot be written: ${remedies[code ?? ''] ?? `${code ?? message}`}.`;
}
