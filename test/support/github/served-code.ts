import type { IncomingMessage, ServerResponse } from 'node:http';
import { basename, dirname } from 'node:path';
import type { CodeHost } from '../code-host.ts';
import { readBasic, serveGit } from '../git-server.ts';
import type { Refs } from './github-pulls.ts';
import type { GitHubState, Repository } from './github-state.ts';

/** The bare repositories behind a GitHub server. */
export interface ServedCode {
  /** Serves one, whose branches are the repository's from now on. Returns its address. */
  serve(repository: Repository, code: CodeHost): string;
  /** Answers a request of git, with one of the tokens; false for any other request. */
  take(request: IncomingMessage, response: ServerResponse): boolean;
}

export function servedCode(state: GitHubState, tokens: readonly string[]): ServedCode {
  const served = new Map<string, CodeHost>();
  return {
    serve(repository, code) {
      const path = `/${repository.owner}/${repository.name}.git`;
      served.set(path, code);
      state.pulls.useRefs(repository, refsOf(code));
      code.git('config', 'http.receivepack', 'true');
      return `${state.web}${path}`;
    },
    take(request, response) {
      const { url = '', headers } = request;
      const [path = ''] = /^\/[^/]+\/[^/]+\.git(?=\/)/.exec(url) ?? [];
      const code = served.get(path);
      if (code === undefined) return false;
      const password = readBasic(headers.authorization)?.replace(/^[^:]*:/, '') ?? '';
      if (!tokens.includes(password)) {
        response.writeHead(401, { 'www-authenticate': 'Basic realm="GitHub"' }).end();
        return true;
      }
      serveGit(dirname(code.address), url.replace(path, `/${basename(code.address)}`), request, response);
      return true;
    },
  };
}

/** The branches of a bare repository. */
function refsOf(code: CodeHost): Refs {
  const full = (branch: string) => `refs/heads/${branch}`;
  return {
    oid: (branch) => code.branch(branch),
    isAhead: (base, head) => code.git('rev-list', '--count', `${full(base)}..${full(head)}`) !== '0',
    merge: (base, head) => void code.git('update-ref', full(base), full(head)),
    remove: (branch) => void code.git('update-ref', '-d', full(branch)),
  };
}
