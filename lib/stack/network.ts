import {
  type IVpc,
  Peer,
  Port,
  SecurityGroup,
  type SubnetSelection,
  SubnetType,
  Vpc,
} from 'aws-cdk-lib/aws-ec2';
import { Construct } from 'constructs';
import { DeploymentProblem } from './deployment-problem.ts';
import { explain } from './explain.ts';

/**
 * Where turns run. Whatever it is, nothing can connect to a turn.
 *
 * - `public`: a network of its own. Each task gets a public address for its way out; costs nothing while idle.
 * - `nat`: tasks without public addresses behind one NAT gateway, for who must have one outgoing address. About 33 USD a
 *   month, idle too.
 * - `existing`: subnets of yours; with `publicIp` where their way out is an internet gateway.
 */
export type Network =
  | { readonly kind: 'public' }
  | { readonly kind: 'nat' }
  | {
      readonly kind: 'existing';
      readonly vpc: IVpc;
      /** @default the private subnets with a way out; the public ones, with public addresses, where there are none */
      readonly subnets?: SubnetSelection;
    };

/** The subnets and the security group that tasks get. */
export class TaskNetwork extends Construct {
  /** At most 16. */
  readonly subnetIds: readonly string[];
  readonly securityGroupId: string;
  readonly publicIp: 'ENABLED' | 'DISABLED';

  constructor(scope: Construct, id: string, network: Network) {
    super(scope, id);
    const vpc = network.kind === 'existing' ? network.vpc : this.#makeVpc(network.kind);
    const chosen = network.kind === 'existing' ? network.subnets : undefined;
    const { subnets, hasPublic } = vpc.selectSubnets(chosen ?? defaultSubnets(vpc));
    if (subnets.length === 0) throw new DeploymentProblem(noSubnet);
    this.subnetIds = subnets.slice(0, 16).map(({ subnetId }) => subnetId);
    this.publicIp = hasPublic ? 'ENABLED' : 'DISABLED';

    const group = new SecurityGroup(this, 'Tasks', {
      vpc,
      description: 'Turns: no way in; out by HTTPS, HTTP and SSH',
      allowAllOutbound: false,
    });
    for (const port of [443, 22, 80]) group.addEgressRule(Peer.anyIpv4(), Port.tcp(port));
    this.securityGroupId = group.securityGroupId;
  }

  #makeVpc(kind: 'public' | 'nat'): Vpc {
    const outside = { name: 'public', subnetType: SubnetType.PUBLIC, mapPublicIpOnLaunch: false };
    const inside = { name: 'tasks', subnetType: SubnetType.PRIVATE_WITH_EGRESS };
    const vpc = new Vpc(this, 'Vpc', {
      maxAzs: 2,
      natGateways: kind === 'nat' ? 1 : 0,
      subnetConfiguration: kind === 'nat' ? [outside, inside] : [outside],
    });
    explain(vpc, {
      'AwsSolutions-VPC7':
        'Flow logs cost more than everything else while idle, and nothing listens in this network; who needs them adds them.',
    });
    return vpc;
  }
}

const noSubnet =
  'The network has no subnet that tasks could use: none with a way to the internet. Take another network, or give this one such a subnet.';

function defaultSubnets(vpc: IVpc): SubnetSelection {
  const inside = vpc.privateSubnets.length > 0;
  if (!inside && vpc.publicSubnets.length === 0) throw new DeploymentProblem(noSubnet);
  return { subnetType: inside ? SubnetType.PRIVATE_WITH_EGRESS : SubnetType.PUBLIC };
}
