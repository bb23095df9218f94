import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Grant, type Role } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, type CfnBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { workPrefix } from '../adapters/s3/work-prefix.ts';
import { explain } from './explain.ts';

/** Long enough for a holiday; after that a branch is a better place. */
const keptFor = Duration.days(90);

/**
 * Where the commits of turns are kept that could be put on no branch, as one git bundle for each turn. Not public, and kept
 * when the stack is removed; its objects go after 90 days.
 */
export class WorkBucket extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      lifecycleRules: [{ expiration: keptFor, abortIncompleteMultipartUploadAfter: Duration.days(1) }],
      removalPolicy: RemovalPolicy.RETAIN,
    });
    explain(this.bucket, {
      'AwsSolutions-S1':
        'Writes are told in the log of the turn API and in the history of turns; who reads is told by CloudTrail where an account wants to know. A second bucket for access logs would hold nothing else.',
    });
  }

  /** Writing the bundle of a turn, for which the grantee signs addresses. Nothing can be read, listed or deleted. */
  grantKeep(role: Role): void {
    const bundles = this.bucket.arnForObjects(`${workPrefix}*`);
    Grant.addToPrincipal({ grantee: role, actions: ['s3:PutObject'], resourceArns: [bundles] });
    const bucket = Stack.of(this).getLogicalId(this.bucket.node.defaultChild as CfnBucket);
    explain(role, {
      [`AwsSolutions-IAM5[Resource::<${bucket}.Arn>/${workPrefix}*]`]:
        'A bundle has the name of its turn, which is not known before; nothing else lies below that prefix.',
    });
  }
}
