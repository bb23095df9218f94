import { Stack } from 'aws-cdk-lib';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { explain } from './explain.ts';

export interface DeploymentSecretProps {
  /** The name of a secret that exists already. @default a new one is made, and its owner adds the tracker's access to it */
  readonly secretName?: string | undefined;
}

/** The one secret of a deployment, as JSON. Turns never see it. */
export class DeploymentSecret extends Construct {
  readonly arn: string;
  readonly name: string;
  readonly #secret: ISecret;

  constructor(scope: Construct, id: string, { secretName }: DeploymentSecretProps) {
    super(scope, id);
    this.#secret =
      secretName === undefined ? this.#make() : Secret.fromSecretNameV2(this, 'Secret', secretName);
    this.arn = secretName === undefined ? this.#secret.secretArn : secretName;
    this.name = this.#secret.secretName;
  }

  /** Reading it, and nothing else. */
  grantRead(grantee: IGrantable): void {
    Grant.addToPrincipal({
      grantee,
      actions: ['secretsmanager:GetSecretValue'],
      // Of a secret that is known by its name only, the six characters at the end of its ARN are not known.
      resourceArns: [this.#secret.secretFullArn ?? `${this.#secret.secretArn}-??????`],
    });
  }

  #make(): Secret {
    const secret = new Secret(this, 'Secret', {
      description: `Evenkeel ${Stack.of(this).stackName}: the access to trackers, and what deliveries and tickets are signed with`,
      generateSecretString: {
        secretStringTemplate: '{}',
        generateStringKey: 'ticketSecret',
        passwordLength: 64,
        excludePunctuation: true,
      },
    });
    explain(secret, {
      'AwsSolutions-SMG4':
        "What is in it belongs to the trackers, which no rotation of AWS's knows; the functions take up a changed value within minutes.",
    });
    return secret;
  }
}
