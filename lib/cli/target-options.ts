import { type Command, Option } from 'commander';
import { dataOption, workflowOption } from './command.ts';

export interface TargetWords {
  /** What a workflow file is named for. */
  readonly workflow?: string;
  /** Whether a stack is asked about workflow files that it was not deployed with. */
  readonly takesCandidates?: boolean;
}

/** Adds the options by which a command finds its deployment: on this machine, or the one that a stack holds. */
export function addTargetOptions(
  command: Command,
  {
    workflow = 'the board, where no host is running that knows it',
    takesCandidates = false,
  }: TargetWords = {},
): Command {
  return addStackOptions(
    command
      .addOption(dataOption())
      .addOption(workflowOption(workflow))
      .addOption(new Option('--stack <name>', 'ask the deployment in AWS that this stack holds')),
  ).hook('preAction', (_, asked) => {
    const { stack, region, profile, workflow: files } = asked.opts<AskedTarget>();
    const error = (message: string) => asked.error(`error: ${message}`, { exitCode: 2 });
    if (stack === undefined && (region ?? profile) !== undefined)
      error('--region and --profile say where a stack is; name it with --stack');
    if (stack !== undefined && files.length > 0 && !takesCandidates)
      error('--workflow is for this machine; a stack has the workflow files that it was deployed with');
  });
}

/** Adds the options that say in which account and region a stack is. */
export function addStackOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--region <region>', 'the AWS region of the stack; by default as the AWS CLI has it'),
    )
    .addOption(
      new Option('--profile <name>', 'the AWS profile to ask with; by default as the AWS CLI has it'),
    );
}

interface AskedTarget {
  readonly stack?: string;
  readonly region?: string;
  readonly profile?: string;
  readonly workflow: readonly string[];
}
