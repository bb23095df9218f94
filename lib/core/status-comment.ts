import type { Counters, Lease } from './lease.ts';
import { hasBranch, type PullRequest } from './pull-request.ts';
import type { FailureClass, SettlementRecord } from './settle.ts';
import { unlinkAddresses } from './unlink-addresses.ts';
import { maxVerificationFailures } from './verdict.ts';
import type { Workflow } from './workflow.ts';

/**
 * The body of an issue's one status comment: what the last turn did and what happens next. Words of the agent stand in it
 * only as a quoted question, with mentions and references made harmless.
 */
export function describeTurn(record: SettlementRecord, lease: Lease, workflow: Workflow): string {
  const { result } = record;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['Attempt', String(record.attempt)],
    ['Result', describeOutcome(record)],
    ['Class', record.failureClass],
    ['Tries', triesUsed(record, lease, workflow)],
    ['Branch', hasBranch(result) ? code(result.git.branch) : undefined],
    ['Pull request', describePullRequest(record.pullRequest)],
    [
      'Commits',
      result?.git && result.git.commits > 0
        ? `${result.git.commits} in ${result.git.files} ${result.git.files === 1 ? 'file' : 'files'}`
        : undefined,
    ],
    ['Kept work', keptWork(record)],
    ['Note', result?.notes === undefined ? undefined : oneLine(result.notes.join(' '))],
    ['Gates', describeGates(record)],
    ['Cost', describeCost(record)],
    ['Next', describeNext(record)],
  ];
  const table = rows
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `| ${name} | ${value} |`);
  const question =
    result?.question === undefined ? [] : ['', 'The agent asks:', '', ...quote(result.question)];
  return [
    `**evenkeel**: ${oneLine(record.reason)}`,
    '',
    '| | |',
    '|---|---|',
    ...table,
    ...question,
    '',
  ].join('\n');
}

function describeOutcome({ outcome }: SettlementRecord): string {
  switch (outcome) {
    case 'handed-off':
      return 'handed over to a person';
    case 'retry':
      return 'failed, will be tried again';
    case 'recheck':
      return 'ended, will be looked at again';
    case 'parked':
      return 'parked';
    case 'released':
      return 'released';
  }
}

function describeNext({ outcome, parked, nextAt }: SettlementRecord): string {
  if (parked !== undefined) return `waits for a person: ${oneLine(parked.toResume)}`;
  if (outcome === 'handed-off')
    return 'a person reviews it; moving the card back to an active state starts another turn';
  return nextAt === undefined
    ? 'another turn starts when there is room'
    : `another turn starts after ${new Date(nextAt).toISOString()}`;
}

/** What trying again cannot help is parked at its first time; a count of tries would only puzzle. */
function triesUsed(record: SettlementRecord, lease: Lease, workflow: Workflow): string | undefined {
  const isLasting = record.outcome === 'parked' && record.result?.failure?.retryable === false;
  return isLasting ? undefined : describeTries(lease.counters, record.failureClass, workflow);
}

function describePullRequest(pullRequest: PullRequest | undefined): string | undefined {
  if (pullRequest === undefined) return undefined;
  if (pullRequest.kind === 'refused') return `none: ${oneLine(pullRequest.problem)}`;
  const link = `[${pullRequest.number}](${pullRequest.url})`;
  switch (pullRequest.kind) {
    case 'open':
      return link;
    case 'merged':
      return `${link} was merged before; what came later is on the branch, from which you can open another one`;
    case 'closed':
      return `${link} was closed by a person and is not opened again; what came later is on the branch`;
  }
}

function keptWork({ result }: SettlementRecord): string | undefined {
  const { wipBranch, bundle } = result?.git ?? {};
  const places = [
    wipBranch === undefined ? undefined : `on ${code(wipBranch)}`,
    wipBranch === undefined && bundle !== undefined ? describeBundle(bundle) : undefined,
    result?.inWorkspaceOnly && result.workspace !== undefined
      ? `some of it only in ${code(inDataFolder(result.workspace))} of the data folder`
      : undefined,
  ];
  return places.filter((place) => place !== undefined).join('; ') || undefined;
}

function describeBundle(bundle: string): string {
  const isAddress = /^[a-z0-9]+:\/\//.test(bundle);
  return isAddress
    ? `in the bundle ${code(bundle)}`
    : `in the bundle ${code(inDataFolder(bundle))} of the data folder`;
}

/** Whoever reads a comment need not know how the machine's folders are called; `history` tells the whole path. */
function inDataFolder(path: string): string {
  return path.replace(/^.*[\\/](?=turns[\\/])/, '');
}

function describeGates({ result }: SettlementRecord): string | undefined {
  if (result === undefined || result.verify.length === 0) return undefined;
  return result.verify.map(({ command, status }) => `${code(command)} ${status}`).join(', ');
}

function describeCost({ result, startedAt }: SettlementRecord): string | undefined {
  if (startedAt === undefined) return undefined;
  const usage = result?.usage;
  if (usage === undefined) return 'unknown';
  const parts = [
    usage.usd === undefined ? undefined : `${usage.usd.toFixed(2)} USD`,
    usage.tokens === undefined ? undefined : `${usage.tokens} tokens`,
  ];
  return parts.filter((part) => part !== undefined).join(', ') || 'unknown';
}

function quote(text: string): readonly string[] {
  return text.split(/\r\n?|\n/).map((line) => `> ${harmless(line)}`);
}

/** Mentions, references and closing keywords of an agent's text would notify people and close issues. */
function harmless(text: string): string {
  const unlinked = unlinkAddresses(text);
  return unlinked.replace(/[@#]/g, (sign) => `${sign}\u200b`).replace(/[<>[\]!]/g, (sign) => `\\${sign}`);
}

function oneLine(text: string): string {
  return harmless(text.replace(/\s+/g, ' ')).replaceAll('|', '\\|');
}

function code(text: string): string {
  return `\`${text.replace(/[`|\r\n]/g, ' ')}\``;
}

/** How many of the tries are used. */
export function describeTries(
  counters: Counters,
  failureClass: FailureClass | undefined,
  workflow: Workflow,
): string | undefined {
  switch (failureClass) {
    case 'agent':
    case 'delivery':
    case 'policy':
      return `${counters[failureClass] + 1} of ${workflow.agent.max_failures} tries`;
    case 'verification':
      return `${counters.verification + 1} of ${maxVerificationFailures} tries`;
    case 'no-progress':
      return `${counters.noProgress + 1} of ${workflow.agent.max_no_progress} turns`;
    default:
      return undefined;
  }
}
