import type { Written } from '../../controller/ports.ts';
import { type Issue, type StateName, stateKey } from '../../core/issue.ts';
import { GitHubError } from './github-error.ts';

/** Nothing of ours opens again what a person ended. Answers the refusal of such a move, undefined for any other. */
export function refuseReopening(terminal: readonly string[]) {
  const final = new Set(terminal.map(stateKey));
  const isTerminal = (state: StateName | undefined) => state !== undefined && final.has(stateKey(state));
  return (issue: Issue, to: StateName): Written | undefined => {
    if (!issue.closed && (!isTerminal(issue.state) || isTerminal(to))) return undefined;
    const where = issue.closed ? 'is closed' : `is in '${issue.state}'`;
    return { kind: 'rejected', problem: `${issue.key} ${where}; only a person reopens it.` };
  };
}

/** What an error says of a write: what is certainly not done is a value, and the rest, thrown again, is not known. */
export function refusalOf(error: unknown): Written {
  if (!(error instanceof GitHubError)) throw error;
  if (error.kind === 'missing') return { kind: 'changed' };
  if (error.kind === 'forbidden' || error.kind === 'refused')
    return { kind: 'rejected', problem: error.message };
  throw error;
}
