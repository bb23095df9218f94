import * as z from 'zod';
import { deployedBoardId } from '../../../functions/lambda/deployed-board.ts';
import type { LogStream } from '../../adapters/cloudwatch/log-stream.ts';
import type { Arn, TurnId } from '../../core/issue.ts';
import type { WriteCommand } from '../commands-for.ts';
import { harmlessLine } from '../harmless-text.ts';
import type { TurnLogs } from '../turn-logs.ts';
import { findTurn } from './find-turn.ts';
import type { OpenStack } from './open-stack.ts';

/** What an issue's latest turn printed, from where its task's output is kept. Throws a sentence where there is none. */
export async function findStackLogs(
  stack: OpenStack,
  key: string,
  command: WriteCommand,
): Promise<{ readonly turnId: TurnId; readonly logs: TurnLogs } | undefined> {
  const { ledger, deployment } = stack;
  const found = await findTurn(ledger, deployment.workflows.map(deployedBoardId), key);
  if (found === undefined) return undefined;
  const { turnId, task } = found;
  if (task === undefined)
    throw new Error(
      `Turn ${harmlessLine(turnId)} of ${harmlessLine(key)} has no task that was seen: it was not launched yet, or its launch was refused. \`${command('explain', harmlessLine(key))}\` says what it waits for.`,
    );
  return { turnId, logs: turnLogsOf(stack.turnLog(task), () => hasEnded(stack, task)) };
}

async function hasEnded({ runner }: OpenStack, task: Arn): Promise<boolean> {
  const state = (await runner.describe([task])).get(task);
  // The service forgets a task an hour after its end.
  return state === undefined || state.kind !== 'running';
}

/** Output is brought in by the second: what a task printed last comes after the word that it has ended. */
const lastLinesMs = 10_000;

function turnLogsOf(stream: LogStream, isOver: () => Promise<boolean>): TurnLogs {
  let overSince: number | undefined;
  return {
    pollMs: 2_000,
    hasEnded: async () => {
      // The service may not know a task yet that it has just begun to start.
      overSince = (await isOver()) ? (overSince ?? Date.now()) : undefined;
      return overSince !== undefined && Date.now() - overSince >= lastLinesMs;
    },
    async *readNew() {
      for await (const events of stream.readNew()) yield* byLog(events);
    },
  };
}

interface LinesOfLog {
  readonly name: string;
  readonly lines: readonly string[];
}

/** A turn prints its steps, and what its programs printed with the name of their log; lines that follow one another stay together. */
function byLog(events: readonly string[]): readonly LinesOfLog[] {
  const found: { name: string; lines: string[] }[] = [];
  for (const event of events) {
    const output = outputSchema.safeParse(parseJson(event)).data;
    const name = output?.log ?? 'runner.log';
    const last = found.at(-1);
    if (last?.name === name) last.lines.push(output?.line ?? event);
    else found.push({ name, lines: [output?.line ?? event] });
  }
  return found;
}

const outputSchema = z.object({ log: z.string().regex(/^[\w-]{1,100}\.log$/), line: z.string() });

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
