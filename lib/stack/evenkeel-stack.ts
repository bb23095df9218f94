import { Stack, type StackProps } from 'aws-cdk-lib';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import type { Construct } from 'constructs';
import type { DeploymentContext } from './deployment-context.ts';
import { describeDeployment } from './describe-deployment.ts';
import { Evenkeel } from './evenkeel.ts';
import type { Network } from './network.ts';
import type { WorkflowSource } from './read-workflows.ts';

export interface EvenkeelStackProps extends StackProps {
  readonly workflows: readonly WorkflowSource[];
  readonly context: DeploymentContext;
}

/** A deployment as a stack of its own, with everything that its operator needs to know as outputs. */
export class EvenkeelStack extends Stack {
  readonly evenkeel: Evenkeel;

  constructor(scope: Construct, id: string, { workflows, context, ...props }: EvenkeelStackProps) {
    super(scope, id, {
      description: "Evenkeel: keeps coding agents level with the team's issue board",
      ...props,
    });
    this.evenkeel = new Evenkeel(this, 'Evenkeel', {
      workflows,
      maxConcurrentAgents: context.maxConcurrentAgents,
      network: this.#findNetwork(context.network),
      image: context.image,
      architecture: context.architecture,
      agentUid: context.agentUid,
      secretName: context.secret,
      tableName: context.table,
      alarmEmail: context.alarmEmail,
      turnOutput: context.turnOutput,
      logRetention: context.logRetentionDays,
    });
    describeDeployment(this, this.evenkeel);
  }

  #findNetwork(network: DeploymentContext['network']): Network {
    if (network === 'public' || network === 'nat') return { kind: network };
    return { kind: 'existing', vpc: Vpc.fromLookup(this, 'Vpc', { vpcId: network }) };
  }
}
