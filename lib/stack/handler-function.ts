import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, type Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { version } from './version.ts';

export interface HandlerFunctionProps {
  /** What it does, for people who look at the list of functions. */
  readonly description: string;
  readonly code: Code;
  /** What `functions/environment.ts` asks for. */
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutSeconds: number;
  /** @default 512 */
  readonly memoryMiB?: number;
  readonly logRetention: RetentionDays;
}

/**
 * One handler: a function with a role and a log group of its own. The role may write to that log group and nothing else
 * until something is granted to it.
 */
export class HandlerFunction extends Construct {
  readonly lambda: LambdaFunction;
  readonly role: Role;
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: string, props: HandlerFunctionProps) {
    super(scope, id);
    this.logGroup = new LogGroup(this, 'Logs', {
      retention: props.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    this.logGroup.grantWrite(this.role);
    this.lambda = new LambdaFunction(this, 'Function', {
      // The version too: a template that differs in nothing else would not be deployed, and the stack would tell an old one.
      description: `${props.description} (${version})`,
      runtime: handlerRuntime,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: props.code,
      environment: { ...props.environment },
      timeout: Duration.seconds(props.timeoutSeconds),
      memorySize: props.memoryMiB ?? 512,
      logGroup: this.logGroup,
      role: this.role,
    });
  }
}

/** The newest that Lambda has everywhere; the bundles are built for an older Node, too. */
const handlerRuntime = Runtime.NODEJS_24_X;
