import type { Arn, TurnId } from '../core/issue.ts';
import type { GitTokenAnswer, GitTokenRequest } from '../core/turn-protocol.ts';
import type { Ports } from './ports.ts';
import { admitCaller, type Served } from './turn-caller.ts';

/**
 * A turn asks for access to its repository. It gets it while the lease is its own: at work, or told to stop, since it may
 * still keep its commits. Nothing is written, and the token is kept nowhere.
 */
export async function serveGitToken(
  ports: Ports,
  turnId: TurnId,
  key: string,
  request: GitTokenRequest,
): Promise<Served<GitTokenAnswer>> {
  const admitted = await admitCaller(ports, turnId, key, request.arn as Arn);
  if ('answer' in admitted) return admitted;
  const frozen = await ports.ledger.turn(turnId);
  const board = (await ports.boards()).find(({ id }) => id === admitted.lease.board);
  const repository = frozen?.repository ?? board?.repository;
  if (repository === undefined) return 'unavailable';
  const token = await ports.gitTokens.mint(repository).catch((error: Error) => error);
  // The turn tells why it came to nothing: otherwise nobody would.
  if (token instanceof Error) return { answer: 'wait', reason: token.message };
  if (token === 'none') return { answer: 'go' };
  const { username, password, expiresAt, revokeUrl } = token;
  return { answer: 'go', token: { username, password, expiresAt, revokeUrl } };
}
