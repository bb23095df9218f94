import type { Arn, TurnId } from '../core/issue.ts';
import type { GitTokenAnswer, GitTokenRequest } from '../core/turn-protocol.ts';
import type { Ports } from './ports.ts';
import { findTurn, isOpen, makeBoot, refuse, type Served, waitForLedger } from './turn-caller.ts';

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
  const tick = await ports.ledger.tick();
  if (!isOpen(tick)) return waitForLedger;
  const place = await findTurn(ports, tick, turnId);
  if (place === undefined) return refuse(ports, tick, turnId, undefined);
  const lease = await ports.ledger.lease(tick.gen, place.board, place.issueId);
  const isAlive = lease?.phase === 'running' || lease?.phase === 'stopping';
  const isCaller = lease?.turnId === turnId && lease.boot === makeBoot(ports, request.arn as Arn, key);
  if (!isAlive || !isCaller) return refuse(ports, tick, turnId, place);

  const frozen = await ports.ledger.turn(turnId);
  const board = (await ports.boards()).find(({ id }) => id === place.board);
  const repository = frozen?.repository ?? board?.repository;
  if (repository === undefined) return 'unavailable';
  const token = await ports.gitTokens.mint(repository).catch((error: Error) => error);
  // The turn tells why it came to nothing: otherwise nobody would.
  if (token instanceof Error) return { answer: 'wait', reason: token.message };
  if (token === 'none') return { answer: 'go' };
  const { username, password, expiresAt, revokeUrl } = token;
  return { answer: 'go', token: { username, password, expiresAt, revokeUrl } };
}
