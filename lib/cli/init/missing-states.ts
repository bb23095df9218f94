import { codeHostOf } from '../../adapters/github/endpoint.ts';
import { type StateName, stateKey, type TrackerState } from '../../core/issue.ts';
import type { BoardKind } from './ask-board.ts';
import type { SuggestedRoles } from './usual-states.ts';

/** The chosen states that are not on the board. */
export function findMissing(roles: SuggestedRoles, states: readonly TrackerState[]): readonly string[] {
  const { active, inProgress, handoff, terminal } = roles;
  const named = [...active, inProgress, handoff, ...terminal].filter((name) => name !== undefined);
  const there = new Set(states.map(({ name }) => stateKey(name)));
  return [...new Set(named)].filter((name) => !there.has(stateKey(name)));
}

/** How a person puts states on the board; evenkeel itself never changes what states a board has. */
export function describeMaking(
  kind: BoardKind,
  project: string,
  endpoint: string | undefined,
  missing: readonly string[],
): string {
  const names = missing.map((name) => `'${name}'`).join(', ');
  if (kind === 'github') {
    const repository = endpoint === undefined ? project : `${codeHostOf(endpoint)}/${project}`;
    const commands = missing.map((name) => `  gh label create ${quote(name)} --repo ${quote(repository)}`);
    return [`The repository ${project} has no label ${names} yet. Make ${them(missing)}:`, ...commands].join(
      '\n',
    );
  }
  if (kind === 'github-project')
    return `The project ${project} has no column ${names} yet. Add ${them(missing)} to the options of its field Status, in the settings of the project.`;
  return `The board ${project} has no state ${names} yet. Add ${them(missing)} to \`states\` in its board.yaml.`;
}

/** States of a board that is only made now; a file has no ids, so that their places are. */
export function statesToCome(names: readonly string[]): readonly TrackerState[] {
  return names.map((name, place) => ({ id: String(place), name: name as StateName }));
}

function them(names: readonly string[]): string {
  return names.length === 1 ? 'it' : 'them';
}

/** For a POSIX shell. */
function quote(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
