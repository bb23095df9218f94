import { dynamodbClient } from '../../lib/adapters/dynamodb/dynamodb-client.ts';
import { dynamodbLedger } from '../../lib/adapters/dynamodb/dynamodb-ledger.ts';
import { randomIds } from '../../lib/adapters/runtime/random-ids.ts';
import type { Ports, TurnAccess } from '../../lib/controller/ports.ts';
import type { TurnEndEnvironment } from '../environment.ts';
import type { OpenBoardAccess } from './board-access.ts';
import { deployedBoards } from './deployed-boards.ts';
import { noWorkStore } from './unneeded-ports.ts';
import { type Wired, wire } from './wiring.ts';

/** What the functions work with that serve boards, and not only hints. */
export type WiredBoards = Wired & TurnAccess & Pick<Ports, 'ledger' | 'ids' | 'boards' | 'webhooks'>;

export function wireBoards(
  openAccess: OpenBoardAccess,
  environment: Pick<TurnEndEnvironment, 'EVENKEEL_TABLE' | 'EVENKEEL_SECRET'>,
): WiredBoards {
  const wired = wire(environment);
  return {
    ...wired,
    ...deployedBoards(openAccess(wired.secrets)),
    ledger: dynamodbLedger({ client: dynamodbClient(), table: environment.EVENKEEL_TABLE }),
    ids: randomIds(),
    agentKeys: { read: async () => (await wired.secrets.current()).agentEnvironment ?? {} },
    workStore: noWorkStore,
    // Deliveries come to a function of their own.
    webhooks: {},
  };
}
