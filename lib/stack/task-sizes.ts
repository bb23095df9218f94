import type { Problem } from '../core/contract.ts';
import type { Workflow } from '../core/workflow.ts';

/**
 * The sizes that Fargate has for Linux tasks, by CPU units: memory in MiB from, to, in steps of. A size between them is
 * refused at the launch, so that it is refused at synth here.
 */
const sizes: Readonly<Record<number, readonly [from: number, to: number, step: number]>> = {
  256: [512, 2_048, 512],
  512: [1_024, 4_096, 1_024],
  1024: [2_048, 8_192, 1_024],
  2048: [4_096, 16_384, 1_024],
  4096: [8_192, 30_720, 1_024],
  8192: [16_384, 61_440, 4_096],
  16384: [32_768, 122_880, 8_192],
};

/** What keeps Fargate from running tasks of this size: at most one problem, with the sizes that it has. */
export function checkTaskSize({ cpu, memory }: Workflow['agent']['task']): readonly Problem[] {
  const size = sizes[cpu];
  if (size === undefined) {
    const message = `agent.task.cpu is ${cpu}, which Fargate does not have; take one of ${Object.keys(sizes).join(', ')}`;
    return [{ rule: 'task-size', path: 'agent.task.cpu', message }];
  }
  const [from, to, step] = size;
  // The smallest size doubles once more than it steps: 512, 1024 and 2048.
  const fits = memory >= from && memory <= to && memory % step === 0 && !(cpu === 256 && memory === 1_536);
  if (fits) return [];
  const choice = cpu === 256 ? '512, 1024 or 2048' : `${from} to ${to} in steps of ${step}`;
  const message = `agent.task.memory is ${memory}, which Fargate does not have with ${cpu} CPU units; take ${choice}`;
  return [{ rule: 'task-size', path: 'agent.task.memory', message }];
}
