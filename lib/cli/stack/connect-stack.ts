import type { CliContext } from '../cli-context.ts';
import { writeText } from '../cli-context.ts';
import { commandsFor } from '../commands-for.ts';
import { harmlessBlock } from '../harmless-text.ts';
import type { Asked } from '../with-operations.ts';
import { type StackTarget, withStack } from './open-stack.ts';
import { readCandidates } from './read-candidates.ts';
import { stackOperations } from './stack-operations.ts';

/**
 * Asks the deployment that a stack holds. With `planWith` a plan is made with the named workflow files instead of the
 * deployed ones. What makes an answer less than whole is told beside it.
 */
export async function withStackOperations<Result>(
  context: CliContext,
  target: StackTarget,
  act: (operations: Asked) => Promise<Result>,
  planWith?: readonly string[],
): Promise<Result> {
  const workflows = planWith && (await readCandidates(planWith));
  const warnings = new Set<string>();
  return withStack(target, context, async (stack) => {
    const warn = (message: string) => {
      if (!warnings.has(message)) writeText(context.stderr, `evenkeel: ${harmlessBlock(message)}`);
      warnings.add(message);
    };
    const alarms = () =>
      stack.alarms().catch((error: Error) => {
        warn(`The alarms could not be read: ${error.message}`);
        return undefined;
      });
    return act({
      ...stackOperations(stack, { env: context.env, workflows, command: commandsFor(target), warn }),
      alarms,
    });
  });
}
