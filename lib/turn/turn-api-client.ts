import { readFile } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import * as z from 'zod';
import {
  type GitTokenAnswer,
  gitTokenAnswerSchema,
  type HeartbeatAnswer,
  type HeartbeatRequest,
  heartbeatAnswerSchema,
  type KeepWorkAnswer,
  keepWorkAnswerSchema,
  type ResultAnswer,
  resultAnswerSchema,
  type StartAnswer,
  startAnswerSchema,
  type TurnResult,
} from '../core/turn-protocol.ts';

export type Answered<Answer> =
  | { readonly kind: 'answered'; readonly answer: Answer }
  /** Nobody answered, or not in the words of the protocol: nothing is known, and the call may be repeated. */
  | { readonly kind: 'unanswered'; readonly problem: string };

export interface TurnApi {
  start(): Promise<Answered<StartAnswer>>;
  heartbeat(doing: Omit<HeartbeatRequest, 'arn'>): Promise<Answered<HeartbeatAnswer>>;
  gitToken(): Promise<Answered<GitTokenAnswer>>;
  /** Where a bundle of so many bytes may be left, for a turn whose folder ends with it. */
  keepWork(bytes: number): Promise<Answered<KeepWorkAnswer>>;
  result(result: TurnResult): Promise<Answered<ResultAnswer>>;
}

export interface TurnApiOptions {
  /** An address, or the path of the file that names it; the file is read anew before each call. */
  readonly api: string;
  readonly turnId: string;
  readonly ticket: string;
  readonly key: string;
  readonly arn: string;
  readonly callTimeoutMs: number;
}

/** The turn's way to the turn API. No call throws; whatever is not a good answer is `unanswered`. */
export function turnApiClient({ api, turnId, ticket, key, arn, callTimeoutMs }: TurnApiOptions): TurnApi {
  async function call<Answer>(
    name: string,
    bearer: string,
    body: unknown,
    schema: z.ZodType<Answer>,
  ): Promise<Answered<Answer>> {
    try {
      const base = await findAddress(api);
      const response = await fetch(`${base.replace(/\/+$/, '')}/turns/${turnId}/${name}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}` },
        body: JSON.stringify(body),
        // A redirect would carry the bearer to somebody else.
        redirect: 'error',
        signal: AbortSignal.timeout(callTimeoutMs),
      });
      if (response.status >= 500)
        return { kind: 'unanswered', problem: `${name}: status ${response.status}` };
      return { kind: 'answered', answer: schema.parse(await response.json()) };
    } catch (error) {
      return { kind: 'unanswered', problem: `${name}: ${describeFault(error)}` };
    }
  }
  return {
    start: () => call('start', ticket, { arn, key }, startAnswerSchema),
    heartbeat: (doing) => call('heartbeat', key, { ...doing, arn }, heartbeatAnswerSchema),
    gitToken: () => call('git-token', key, { arn }, gitTokenAnswerSchema),
    keepWork: (bytes) => call('keep-work', key, { arn, bytes }, keepWorkAnswerSchema),
    result: (result) => call('result', key, { arn, result }, resultAnswerSchema),
  };
}

/** What is sent there travels encrypted, or does not leave the machine. */
export function keepsSecrets(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && loopback.includes(hostname));
}

const loopback: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];

/** The host's file holds more than its address; the rest is none of a turn's business. */
const hostFileSchema = z.object({ url: z.string().refine(keepsSecrets, 'is no loopback or https address') });

async function findAddress(api: string): Promise<string> {
  if (!isAbsolute(api)) return api;
  return hostFileSchema.parse(JSON.parse(await readFile(api, 'utf8'))).url;
}

/** Errors of validation quote what was sent, which is nobody's business in a log. */
function describeFault(error: unknown): string {
  if (error instanceof z.ZodError) return 'an answer of unknown form';
  if (error instanceof SyntaxError) return 'an answer that is no JSON';
  const { code, name } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
  return code ?? name;
}
