import { Grant, type Role } from 'aws-cdk-lib/aws-iam';
import { explain } from './explain.ts';

/** Has Node and git, for both processors, and needs no login. */
export const defaultImage = 'public.ecr.aws/docker/library/node:24-bookworm';

/** Lets a role pull the image, where it lies in a private registry of AWS. Others are public, or cannot be pulled. */
export function grantPull(grantee: Role, image: string): void {
  const inEcr =
    /^(\d{12})\.dkr\.ecr\.([a-z0-9-]+)\.(amazonaws\.com(?:\.cn)?)\/([a-z0-9._/-]+?)(?:[:@].*)?$/.exec(image);
  if (inEcr === null) return;
  const [, account, region, domain, repository] = inEcr;
  const partition = domain === 'amazonaws.com.cn' ? 'aws-cn' : 'aws';
  Grant.addToPrincipal({
    grantee,
    actions: ['ecr:BatchCheckLayerAvailability', 'ecr:GetDownloadUrlForLayer', 'ecr:BatchGetImage'],
    resourceArns: [`arn:${partition}:ecr:${region}:${account}:repository/${repository}`],
  });
  Grant.addToPrincipal({ grantee, actions: ['ecr:GetAuthorizationToken'], resourceArns: ['*'] });
  explain(grantee, {
    'AwsSolutions-IAM5[Resource::*]': 'A login is to the registry as a whole; IAM knows no resource for it.',
  });
}
