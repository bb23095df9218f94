import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { request as requestPlain } from 'node:http';
import { request as requestEncrypted } from 'node:https';
import { pipeline } from 'node:stream';
import { limits } from '../core/turn-protocol.ts';
import { persist } from './persist.ts';
import type { Turn } from './turn.ts';
import { keepsSecrets } from './turn-api-client.ts';

/**
 * Leaves the bundle of a turn whose folder ends with it where the deployment keeps such bundles. Tells under what address
 * people find it; undefined when it could not be left, and the log says why. Never throws.
 */
export async function leaveBundle(turn: Turn): Promise<string | undefined> {
  const { timing, stop, log } = turn;
  const left = await persist(
    () => tryToLeave(turn).catch((error: NodeJS.ErrnoException): Left => again(error.code ?? error.name)),
    (latest) => latest.kind !== 'again',
    { ...timing, patienceMs: timing.transferPatienceMs, signal: stop.hurry },
  );
  if (left?.kind === 'left') return left.address;
  log('the bundle could not be left with the deployment', { problem: left?.problem ?? 'no time was left' });
  return undefined;
}

type Left =
  | { readonly kind: 'left'; readonly address: string }
  | { readonly kind: 'refused' | 'again'; readonly problem: string };

async function tryToLeave({ folder, stop, timing, askForPlace }: Turn): Promise<Left> {
  const { size: bytes } = await stat(folder.workBundle);
  if (bytes > limits.bundle) return refused(`it has ${bytes} bytes, and ${limits.bundle} are taken`);
  const told = await askForPlace(bytes);
  if (told.kind === 'unanswered') return again(told.problem);
  const { answer } = told;
  if (answer.answer === 'wait') return again(answer.reason);
  if (answer.answer === 'stop') return refused(answer.reason);
  if (answer.place === undefined) return refused('the deployment keeps none');
  const { uploadUrl, address } = answer.place;
  if (!keepsSecrets(uploadUrl)) return refused('its place is not reached over an encrypted connection');
  const signal = AbortSignal.any([stop.hurry, AbortSignal.timeout(timing.pushMs)]);
  const status = await upload(uploadUrl, folder.workBundle, bytes, signal);
  if (status >= 200 && status < 300) return { kind: 'left', address };
  // An address that is used late is signed anew at the next try.
  return again(`status ${status}`);
}

function refused(problem: string): Left {
  return { kind: 'refused', problem };
}

function again(problem: string): Left {
  return { kind: 'again', problem };
}

/** Sends the file with its length known beforehand, which `fetch` does not do for a stream. Answers the status. */
function upload(url: string, path: string, bytes: number, signal: AbortSignal): Promise<number> {
  const open = url.startsWith('https:') ? requestEncrypted : requestPlain;
  return new Promise((resolve, reject) => {
    const headers = { 'content-length': bytes };
    const sending = open(url, { method: 'PUT', headers, signal }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    // Also once all is sent and nobody answers.
    sending.on('error', reject);
    pipeline(createReadStream(path), sending, (error) => {
      if (error) reject(error);
    });
  });
}
