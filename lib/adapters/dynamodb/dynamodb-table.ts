import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import type { Change } from '../../core/change.ts';
import { compileChange, compileDeletion } from './compile-change.ts';
import type { StoredItem } from './read-item.ts';
import { type ItemKey, tableKeys } from './table.ts';

/** The few calls the ledger makes. Each throws, naming the item, when its outcome is not known. */
export interface DynamodbTable {
  get(key: ItemKey): Promise<StoredItem | undefined>;
  /** Those that exist, in no order, each once. */
  getMany(keys: readonly ItemKey[]): Promise<readonly StoredItem[]>;
  /** Every item of a partition whose sort key begins so, in its order: all pages or a throw. */
  query(pk: string, prefix: string): Promise<readonly StoredItem[]>;
  /** The item after the change where it is asked for; otherwise, and of one that is taken away, an empty one. */
  change<Item>(
    key: ItemKey,
    change: Change<Item>,
    identity: Readonly<Record<string, unknown>>,
    answer?: 'answer-item',
  ): Promise<StoredItem | 'refused'>;
  putOnce(key: ItemKey, item: object): Promise<'done' | 'refused'>;
  put(key: ItemKey, item: object): Promise<void>;
}

export function dynamodbTable(options: {
  readonly client: DynamoDBClient;
  readonly table: string;
  readonly pageSize?: number | undefined;
}): DynamodbTable {
  const { table: TableName, pageSize } = options;
  const client = DynamoDBDocumentClient.from(options.client, {
    marshallOptions: { removeUndefinedValues: true },
  });

  return {
    get: (key) =>
      known('reading', key, async () => {
        const answer = await client.send(new GetCommand({ TableName, Key: key, ConsistentRead: true }));
        return answer.Item;
      }),
    getMany: async (keys) => {
      const unique = [...new Map(keys.map((key) => [`${key.pk} ${key.sk}`, key])).values()];
      const items: StoredItem[] = [];
      for (let at = 0; at < unique.length; at += batchSize) {
        items.push(...(await getBatch(client, TableName, unique.slice(at, at + batchSize))));
      }
      return items;
    },
    query: (pk, prefix) =>
      known('listing', { pk, sk: prefix }, () =>
        queryPages(client, {
          TableName,
          ConsistentRead: true,
          ...keyCondition(pk, prefix),
          ...(pageSize === undefined ? {} : { Limit: pageSize }),
        }),
      ),
    change: async (key, change, identity, answer) => {
      if (change.deletes) return deleteItem(client, TableName, key, change);
      const compiled = compileChange(change, identity);
      if (compiled === undefined) return 'refused';
      return unlessRefused(change.operation, key, async () => {
        const ReturnValues = answer === undefined ? 'NONE' : 'ALL_NEW';
        const changed = await client.send(
          new UpdateCommand({ TableName, Key: key, ReturnValues, ...compiled }),
        );
        return changed.Attributes ?? {};
      });
    },
    putOnce: (key, item) =>
      unlessRefused('put', key, async () => {
        await client.send(
          new PutCommand({
            TableName,
            Item: { ...item, ...key },
            ConditionExpression: 'attribute_not_exists(#pk)',
            ExpressionAttributeNames: { '#pk': tableKeys.partition },
          }),
        );
        return 'done' as const;
      }),
    put: (key, item) =>
      known('put', key, async () => {
        await client.send(new PutCommand({ TableName, Item: { ...item, ...key } }));
      }),
  };
}

/** The answer holds nothing of the item: the embedded engine gives no old ones back. */
async function deleteItem<Item>(
  client: DynamoDBDocumentClient,
  table: string,
  key: ItemKey,
  change: Change<Item>,
): Promise<StoredItem | 'refused'> {
  const condition = compileDeletion(change);
  if (condition === undefined) return 'refused';
  return unlessRefused(change.operation, key, async () => {
    await client.send(new DeleteCommand({ TableName: table, Key: key, ...condition }));
    return {};
  });
}

/** What the database takes in one call. */
const batchSize = 100;

async function getBatch(
  client: DynamoDBDocumentClient,
  table: string,
  keys: readonly ItemKey[],
): Promise<readonly StoredItem[]> {
  const items: StoredItem[] = [];
  let open: readonly object[] = keys;
  while (open.length > 0) {
    const wanted = open;
    const page = await known('reading', keys[0] as ItemKey, () =>
      client.send(
        new BatchGetCommand({ RequestItems: { [table]: { Keys: [...wanted], ConsistentRead: true } } }),
      ),
    );
    items.push(...(page.Responses?.[table] ?? []));
    const left = page.UnprocessedKeys?.[table]?.Keys ?? [];
    if (left.length === open.length)
      throw new Error('the ledger answered none of the items asked for; try again');
    open = left;
  }
  return items;
}

async function queryPages(
  client: DynamoDBDocumentClient,
  query: QueryCommandInput,
): Promise<readonly StoredItem[]> {
  const items: StoredItem[] = [];
  let from: StoredItem | undefined;
  do {
    const page = await client.send(
      new QueryCommand(from === undefined ? query : { ...query, ExclusiveStartKey: from }),
    );
    items.push(...(page.Items ?? []));
    from = page.LastEvaluatedKey;
  } while (from !== undefined);
  return items;
}

function keyCondition(pk: string, prefix: string) {
  const whole = prefix === '';
  return {
    KeyConditionExpression: whole ? '#pk = :pk' : '#pk = :pk AND begins_with(#sk, :prefix)',
    ExpressionAttributeNames: { '#pk': tableKeys.partition, ...(whole ? {} : { '#sk': tableKeys.sort }) },
    ExpressionAttributeValues: { ':pk': pk, ...(whole ? {} : { ':prefix': prefix }) },
  };
}

async function unlessRefused<Answer>(
  operation: string,
  key: ItemKey,
  call: () => Promise<Answer>,
): Promise<Answer | 'refused'> {
  return known(operation, key, async () => {
    try {
      return await call();
    } catch (error) {
      if (error instanceof Error && error.name === 'ConditionalCheckFailedException') return 'refused';
      throw error;
    }
  });
}

async function known<Answer>(operation: string, key: ItemKey, call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    // The SDK's error itself is left behind: it holds the request, and with it texts of issues.
    const cause = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    throw new Error(`the ledger did not answer: ${operation} of ${key.pk} ${key.sk}: ${cause}`);
  }
}
