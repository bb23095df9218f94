import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Billing, type ITableV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Grant, type IGrantable, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { AwsCustomResource, AwsCustomResourcePolicy, PhysicalResourceId } from 'aws-cdk-lib/custom-resources';
import { Construct } from 'constructs';
import { everyLeasePartition, tableExpiry, tableKeys, tickKey } from '../adapters/dynamodb/table.ts';

export interface LedgerTableProps {
  /** The name of a table that exists already; its tick record is left alone. @default one is made */
  readonly tableName?: string | undefined;
  readonly logRetention: RetentionDays;
}

/**
 * The one table of a deployment: leases, history, counters. Kept when the stack is removed, protected from deletion, and
 * restorable to any second of the last 35 days.
 *
 * With the table the tick record is put *closed*, under a generation that no other table ever had. Scheduled ticks open it
 * after the same wait as after a lost table, so that the first turn starts some minutes after the first deployment.
 */
export class LedgerTable extends Construct {
  readonly table: ITableV2;

  constructor(scope: Construct, id: string, props: LedgerTableProps) {
    super(scope, id);
    this.table =
      props.tableName === undefined
        ? this.#makeTable(props)
        : TableV2.fromTableName(this, 'Existing', props.tableName);
  }

  /** Reads and writes of single items and queries. No scan, no deletion, no batch of writes. */
  grantUse(grantee: IGrantable): Grant {
    return this.#grant(grantee, [
      'dynamodb:GetItem',
      'dynamodb:BatchGetItem',
      'dynamodb:Query',
      'dynamodb:PutItem',
      'dynamodb:UpdateItem',
    ]);
  }

  /** Deleting leases. The tick record, boards, turns and history are in other partitions. */
  grantForget(grantee: IGrantable): Grant {
    return this.#grant(grantee, ['dynamodb:DeleteItem'], {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [everyLeasePartition] },
    });
  }

  /** Counting a hint on the tick record. The records of boards are in its partition, and IAM knows no narrower part; no lease, turn or history is. */
  grantHint(grantee: IGrantable): Grant {
    return this.#grant(grantee, ['dynamodb:UpdateItem'], {
      'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [tickKey.pk] },
    });
  }

  #makeTable(props: LedgerTableProps): TableV2 {
    const table = new TableV2(this, 'Table', {
      partitionKey: { name: tableKeys.partition, type: AttributeType.STRING },
      sortKey: { name: tableKeys.sort, type: AttributeType.STRING },
      billing: Billing.onDemand(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      timeToLiveAttribute: tableExpiry,
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    this.#putTickClosed(table, props);
    return table;
  }

  #grant(
    grantee: IGrantable,
    actions: string[],
    conditions: Record<string, Record<string, unknown>> = {},
  ): Grant {
    return Grant.addToPrincipal({ grantee, actions, resourceArns: [this.table.tableArn], conditions });
  }

  #putTickClosed(table: TableV2, { logRetention }: LedgerTableProps): void {
    const logGroup = new LogGroup(this, 'TickRecordLogs', {
      retention: logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new Role(this, 'TickRecordRole', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    });
    logGroup.grantWrite(role);
    const put = {
      service: 'DynamoDB',
      action: 'putItem',
      parameters: closedTickRecord(table.tableName, table.tableId ?? ''),
      // A record is there: the table is not new, and what it says counts.
      ignoreErrorCodesMatching: 'ConditionalCheckFailedException',
      physicalResourceId: PhysicalResourceId.of('tick-record'),
    };
    new AwsCustomResource(this, 'TickRecord', {
      onCreate: put,
      // A new table under the same construct is an update of this resource.
      onUpdate: put,
      installLatestAwsSdk: false,
      logGroup,
      role,
      policy: AwsCustomResourcePolicy.fromStatements([
        new PolicyStatement({ actions: ['dynamodb:PutItem'], resources: [table.tableArn] }),
      ]),
    });
  }
}

/** The call that puts the tick record closed on a table that has none; refused where there is one. */
function closedTickRecord(table: string, gen: string) {
  return {
    TableName: table,
    Item: { pk: { S: tickKey.pk }, sk: { S: tickKey.sk }, v: { N: '1' }, gen: { S: gen } },
    ConditionExpression: 'attribute_not_exists(#pk)',
    ExpressionAttributeNames: { '#pk': tableKeys.partition },
  };
}
