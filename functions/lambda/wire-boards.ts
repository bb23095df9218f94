import { dynamodbClient } from '../../lib/adapters/dynamodb/dynamodb-client.ts';
import { dynamodbLedger } from '../../lib/adapters/dynamodb/dynamodb-ledger.ts';
import { randomIds } from '../../lib/adapters/runtime/random-ids.ts';
import type { Board, GitTokens, Ids, Ledger, WebhookSource } from '../../lib/controller/ports.ts';
import type { TurnApiEnvironment } from '../environment.ts';
import { deployedBoards, type TrackerOf } from './deployed-boards.ts';
import { type Wired, wire } from './wiring.ts';

/** What the functions work with that serve boards, and not only hints. */
export interface WiredBoards extends Wired {
  readonly ledger: Ledger;
  readonly ids: Ids;
  readonly boards: () => Promise<readonly Board[]>;
  readonly gitTokens: GitTokens;
  /** Deliveries come to a function of their own. */
  readonly webhooks: Readonly<Record<string, WebhookSource>>;
}

export function wireBoards(trackers: TrackerOf, environment: TurnApiEnvironment): WiredBoards {
  const wired = wire(environment);
  return {
    ...wired,
    ledger: dynamodbLedger({ client: dynamodbClient(), table: environment.EVENKEEL_TABLE }),
    ids: randomIds(),
    boards: deployedBoards(trackers, wired.secrets),
    gitTokens: { mint: async () => 'none' },
    webhooks: {},
  };
}
