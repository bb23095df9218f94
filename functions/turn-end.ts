/**
 * Settles one turn. Triggered by the event of a task that stopped. The event is only a reason to look: the runner is asked
 * and the lease is read, so that a doubled, late, foreign or forged event changes nothing, and a lost one only waits for
 * the next tick. After a settlement an early tick is asked for, because a slot is free.
 */
import * as z from 'zod';
import { endTurn, type TurnEnd } from '../lib/controller/end-turn.ts';
import type { Ports } from '../lib/controller/ports.ts';
import { receiveHint } from '../lib/controller/receive-hint.ts';
import type { Arn, TurnId } from '../lib/core/issue.ts';
import { isTurnId } from '../lib/core/names.ts';

const taskStoppedSchema = z.looseObject({
  /** When it was sent; a host on the same machine does not say. */
  time: z.iso.datetime({ offset: true }).optional(),
  detail: z.looseObject({
    taskArn: z.string().min(1),
    startedBy: z.string().optional(),
    lastStatus: z.literal('STOPPED'),
  }),
});

/** An event that is older is left to the ticks. */
const latestMs = 90_000;

export const turnEndHandler =
  (ports: Ports) =>
  async (event: unknown): Promise<{ readonly turn: TurnEnd }> => {
    const { detail, time } = taskStoppedSchema.parse(event);
    // A lost ledger opens again once everything on its way has arrived, and this would still be on its way.
    if (time !== undefined && ports.clock.now() - Date.parse(time) > latestMs) return { turn: 'left' };
    if (detail.startedBy === undefined || !isTurnId(detail.startedBy)) return { turn: 'nothing' };
    const turn = await endTurn(ports, { turnId: detail.startedBy as TurnId, arn: detail.taskArn as Arn });
    if (turn === 'settled') await receiveHint(ports, 'turn-end');
    return { turn };
  };
