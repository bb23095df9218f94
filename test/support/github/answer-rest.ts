import type { Answered } from './answer-graphql.ts';
import type { GitHubState } from './github-state.ts';

const free = { points: 0, nodes: 0 };

/** The REST calls that are used. */
export function answerRest(state: GitHubState, path: string): Answered {
  const byId = /^\/repositories\/([^/]+)(\/.*)$/.exec(path);
  const known = state.repositories.find(({ id }) => id === byId?.[1]);
  if (known !== undefined) return answerRest(state, `/repos/${known.owner}/${known.name}${byId![2]}`);
  const permission = /^\/repos\/([^/]+)\/([^/]+)\/collaborators\/([^/]+)\/permission$/.exec(path);
  if (permission === null) return { ...free, status: 404, json: { message: 'Not Found' } };
  const [owner, name, login] = permission.slice(1).map(decodeURIComponent) as [string, string, string];
  const repository = state.repositories.find((one) => one.owner === owner && one.name === name);
  const renamed = state.formerNames.get(`${owner}/${name}`);
  if (repository === undefined && renamed !== undefined) {
    const location = `/api/v3/repositories/${renamed.id}/collaborators/${login}/permission`;
    return { ...free, status: 301, json: { message: 'Moved Permanently' }, headers: { location } };
  }
  if (repository === undefined) return { ...free, status: 404, json: { message: 'Not Found' } };
  if (state.accounts.get(login)?.kind !== 'User')
    return { ...free, status: 404, json: { message: `${login} is not a user` } };
  return { ...free, status: 200, json: { permission: repository.permissions.get(login) ?? 'read' } };
}
