import { CreateTableCommand, DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { tableKeys } from './table.ts';

/**
 * Creates the table when it is missing and waits until it can be used, at most 10 seconds. For one machine and for tests;
 * on AWS the deployment creates it.
 */
export async function ensureTable(client: DynamoDBClient, table: string): Promise<void> {
  if ((await tableStatus(client, table)) === undefined) await createTable(client, table);
  const deadline = Date.now() + 10_000;
  while ((await tableStatus(client, table)) !== 'ACTIVE') {
    if (Date.now() > deadline) throw new Error(`the table "${table}" was not ready within 10 seconds`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function tableStatus(client: DynamoDBClient, table: string): Promise<string | undefined> {
  try {
    const answer = await client.send(new DescribeTableCommand({ TableName: table }));
    return answer.Table?.TableStatus;
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceNotFoundException') return undefined;
    throw error;
  }
}

async function createTable(client: DynamoDBClient, table: string): Promise<void> {
  try {
    await client.send(
      new CreateTableCommand({
        TableName: table,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [
          { AttributeName: tableKeys.partition, AttributeType: 'S' },
          { AttributeName: tableKeys.sort, AttributeType: 'S' },
        ],
        KeySchema: [
          { AttributeName: tableKeys.partition, KeyType: 'HASH' },
          { AttributeName: tableKeys.sort, KeyType: 'RANGE' },
        ],
      }),
    );
  } catch (error) {
    // A repeat of a request whose answer was lost finds its own table.
    if (!(error instanceof Error && error.name === 'ResourceInUseException')) throw error;
  }
}
