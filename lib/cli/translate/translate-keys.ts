import { stateKey } from '../../core/issue.ts';
import type { Draft } from './draft.ts';
import { isOwnKey, isOwnSection, likeKeys, sameKeys, whyDropped } from './key-rules.ts';

type Values = Readonly<Record<string, unknown>>;

/** Sections that an agent has for itself; they become its command. */
export const agentSections = ['claude-code', 'codex', 'copilot-cli', 'opencode', 'gemini', 'kiro'] as const;

/** Puts every key of a file of another system into the draft, or says why it is not there. */
export function translateKeys(values: Values, draft: Draft): void {
  const { self_review: review, ...others } = values;
  // A review that is off there must not become a gate here.
  const isOn = isMap(review) && review.enabled === true;
  const all = review === undefined || isOn ? values : others;
  for (const { path, value } of listKeys(all)) translateKey(path, value, draft);
}

/** The keys of sections of ours and of known ones, one by one; what is nested below them stays together. */
function listKeys(values: Values): readonly { readonly path: string; readonly value: unknown }[] {
  return Object.entries(values).flatMap(([section, value]) => {
    const isSection = isOwnSection(section) || section === 'codex' || whyDropped(section) !== undefined;
    if (!isSection || !isMap(value)) return [{ path: section, value }];
    const { provider, ...keys } = value;
    // Settings of a tracker may stand one level below it.
    const all = section === 'tracker' && isMap(provider) ? { ...provider, ...keys } : value;
    return Object.entries(all).map(([key, one]) => ({ path: `${section}.${key}`, value: one }));
  });
}

function translateKey(path: string, value: unknown, draft: Draft): void {
  const special = Object.hasOwn(specialKeys, path) ? specialKeys[path] : undefined;
  const to = sameKeys[path] ?? (isOwnKey(path) ? path : undefined);
  if (value === undefined || value === null) keepNull(path, value, draft);
  else if (special !== undefined) special(value, draft, path);
  else if (to !== undefined) keep(path, to, value, draft);
  // The rest of what an agent has for itself is looked at with its command.
  else if (!agentSections.some((name) => path === name || path.startsWith(`${name}.`)))
    draft.note(path, `it was left out: ${whyDropped(path) ?? 'evenkeel has no such key'}`);
}

/** Nothing is a value of ours for two states, and elsewhere the same as no key. */
function keepNull(path: string, value: unknown, draft: Draft): void {
  if (value === null && /^tracker\.(handoff|in_progress)_state$/.test(path)) draft.set(path, null);
}

function keep(path: string, to: string, value: unknown, draft: Draft): void {
  draft.set(to, plainValue(to, value));
  const like = likeKeys[path];
  if (like !== undefined) draft.note(path, like);
  if (typeof value === 'string' && /^\$\{?\w+\}?$/.test(value))
    draft.note(
      path,
      `it takes its value from a variable (${value}), which a file here does not: write the value there`,
    );
}

/** Numbers and lists may be written as text there. */
function plainValue(to: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (/_states$|\.required_labels$/.test(to)) return value.split(',').map((one) => one.trim());
  return /(_ms|\.max_\w+)$/.test(to) && /^-?\d+$/.test(value) ? Number(value) : value;
}

type Special = (value: unknown, draft: Draft, path: string) => void;

const specialKeys: Readonly<Record<string, Special>> = {
  'tracker.kind': (value, draft) => {
    draft.set('tracker.kind', value);
    if (value === 'linear')
      draft.note(
        'tracker.kind',
        'boards at Linear are not built yet: this version serves local, github and github-project',
      );
    else if (value === 'file')
      draft.note(
        'tracker.kind',
        'the nearest is `local`, a folder of Markdown issues: `evenkeel init --kind local` lays one out',
      );
    else if (!['github', 'github-project', 'local'].includes(String(value)))
      draft.note(
        'tracker.kind',
        `evenkeel has no boards of the kind ${String(value)}: this version serves local, github and github-project`,
      );
  },
  'tracker.api_key': (value, draft) => {
    const isVariable = typeof value === 'string' && value.startsWith('$');
    const secret = isVariable
      ? ''
      : '; there is a secret in that file: take it out there, and replace it where it was made';
    draft.note(
      'tracker.api_key',
      `it was left out: a token is read from GITHUB_TOKEN in the environment, never from a file${secret}`,
    );
  },
  'tracker.endpoint': (value, draft) => {
    const usual = ['https://api.github.com', 'https://api.linear.app/graphql', 'https://api.linear.app'];
    if (!usual.includes(String(value).replace(/\/$/, ''))) draft.set('tracker.endpoint', value);
  },
  'tracker.query_filter': (value, draft, path) => {
    const text = String(value).trim();
    if (!/^(label:("[^"]+"|[^\s"]+)\s*)+$/.test(text)) {
      draft.note(path, `it was left out: ${whyDropped(path)}`);
      return;
    }
    const labels = [...text.matchAll(/label:(?:"([^"]+)"|(\S+))/g)].map(([, quoted, bare]) => quoted ?? bare);
    draft.set('tracker.required_labels', labels);
    draft.note(path, 'it became tracker.required_labels');
  },
  'agent.kind': () => undefined,
  'agent.command': () => undefined,
  'codex.command': () => undefined,
  'agent.stall_timeout_ms': keepStallTimeout,
  'codex.stall_timeout_ms': keepStallTimeout,
  'hooks.timeout_ms': (value, draft, path) => {
    if (Number(value) > 0) keep(path, path, value, draft);
  },
  'agent.max_tokens': (value, draft, path) => {
    // There, zero is no limit.
    if (Number(value) > 0) keep(path, sameKeys[path]!, Number(value), draft);
  },
  'self_review.enabled': () => undefined,
};

function keepStallTimeout(value: unknown, draft: Draft, path: string): void {
  if (Number(value) > 0) keep(path, 'agent.stall_timeout_ms', value, draft);
  else
    draft.note(
      path,
      'it was left out: an agent that shows no sign of work is always ended at some time; write how long it may be silent',
    );
}

/** A cap that would be refused here was ignored there. */
export function translateCaps(draft: Draft): void {
  const path = 'agent.max_concurrent_agents_by_state';
  const caps = draft.get(path);
  const active = draft.get('tracker.active_states');
  if (!isMap(caps) || !Array.isArray(active)) return;
  const isActive = (name: string) => active.some((one) => stateKey(String(one)) === stateKey(name));
  const kept = Object.entries(caps).filter(([name, cap]) => {
    const isGood = Number.isInteger(Number(cap)) && Number(cap) > 0 && isActive(name);
    if (!isGood)
      draft.note(`${path}.${name}`, 'it was left out: it is no cap of an active state, and had no effect');
    return isGood;
  });
  if (kept.length === 0) draft.delete(path);
  else draft.set(path, Object.fromEntries(kept.map(([name, cap]) => [name, Number(cap)])));
}

export function isMap(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
