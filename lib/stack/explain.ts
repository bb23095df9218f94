import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** Why findings of the AwsSolutions rules are as they should be here, by the finding's id. */
export function explain(of: IConstruct, findings: Readonly<Record<string, string>>): void {
  for (const [id, reason] of Object.entries(findings)) Validations.of(of).acknowledge({ id, reason });
}
