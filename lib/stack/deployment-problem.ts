/** What keeps a deployment from being made, and is for a person to mend: the message says what and how. */
export class DeploymentProblem extends Error {
  override readonly name: string = 'DeploymentProblem';
}
