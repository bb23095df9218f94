import type { Arn, TurnId } from '../core/issue.ts';
import type { KeepWorkAnswer, KeepWorkRequest } from '../core/turn-protocol.ts';
import type { Ports } from './ports.ts';
import { admitCaller, type Served } from './turn-caller.ts';

/**
 * A turn whose folder ends with it asks where it may leave commits that it could put on no branch. It is told while the
 * lease is its own; nothing of the place can be read through it. Nothing is written.
 */
export async function serveKeepWork(
  ports: Ports,
  turnId: TurnId,
  key: string,
  { arn, bytes }: KeepWorkRequest,
): Promise<Served<KeepWorkAnswer>> {
  const admitted = await admitCaller(ports, turnId, key, arn as Arn);
  if ('answer' in admitted) return admitted;
  const place = await ports.workStore.offer(turnId, bytes);
  if (place === 'none') return { answer: 'go' };
  const { uploadUrl, address } = place;
  return { answer: 'go', place: { uploadUrl, address } };
}
