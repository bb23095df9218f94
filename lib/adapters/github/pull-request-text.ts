import { makeBlock, replaceBlock, type WantedPullRequest } from '../../core/pull-request.ts';
import { unlinkAddresses } from '../../core/unlink-addresses.ts';
import { cutAt, fitText, longestBody, makeHarmless } from './harmless-text.ts';

/** The vendor takes no longer title. */
const longestTitle = 256;

/** One line, which notifies nobody, closes nothing and skips no checks: a merge may make it the message of a commit. */
export function titleOf({ title, issue }: WantedPullRequest, codeHost: string): string {
  const line = dropOrders(unlinkAddresses(makeHarmless(title)))
    .replace(/\s+/g, ' ')
    .trim();
  const isKnownByKey = findReference(issue.url, codeHost) === undefined && keys.test(issue.key);
  return cutAt(isKnownByKey ? breakKeys(line) : line, longestTitle) || makeHarmless(issue.key);
}

/** `[skip ci]` and the like, in the message of a commit, keep its checks from running. */
function dropOrders(line: string): string {
  return line.replace(/\[(?=[^\]]*\b(?:skip|no[ -]ci)\b)/gi, '[\u200b');
}

/** Trackers that know issues by such keys link every one that they find at a code host, and move it along. */
const keys = /^[A-Z][A-Z0-9]*-\d+$/;

function breakKeys(line: string): string {
  return line.replace(/\b[A-Z][A-Z0-9]*-(?=\d)/g, '$&\u200b');
}

/** A new body: our block and nothing else. */
export function newBody(wanted: WantedPullRequest, codeHost: string): string {
  return makeBlock(fitText(textOf(wanted, codeHost), longestBody - makeBlock('').length));
}

/** The body as it should be now; undefined where it stays: a person took our block out, or left no room for it. */
export function changedBody(body: string, wanted: WantedPullRequest, codeHost: string): string | undefined {
  const around = replaceBlock(body, makeBlock(''));
  if (around === undefined) return undefined;
  const text = textOf(wanted, codeHost);
  const room = longestBody - around.length;
  return room < text.length && room < shortest
    ? undefined
    : replaceBlock(body, makeBlock(fitText(text, room)));
}

/** In less room there is nothing to be said. */
const shortest = 200;

function textOf(wanted: WantedPullRequest, codeHost: string): string {
  return `${referTo(wanted, codeHost)}\n\n${makeHarmless(wanted.body)}`;
}

/**
 * The one reference that is meant: to an issue at the code host by its address, which links the two, and closes the issue
 * with the merge where that is wanted; to any other by its key.
 */
function referTo({ issue, closes }: WantedPullRequest, codeHost: string): string {
  const word = closes ? 'Closes' : 'Refs';
  return `${word} ${findReference(issue.url, codeHost) ?? makeHarmless(issue.key)}`;
}

function findReference(url: string | undefined, codeHost: string): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { host, pathname } = new URL(url);
  const [, project, number] = /^\/([\w.-]+\/[\w.-]+)\/issues\/(\d+)$/.exec(pathname) ?? [];
  return project === undefined || host !== codeHost ? undefined : `${project}#${number}`;
}
