import { Document, isScalar, visit } from 'yaml';
import { projectForms } from '../../core/workflow-schema.ts';
import { recognizeStates } from '../init/usual-states.ts';
import { agentCommand } from './agent-command.ts';
import { Draft, type Note } from './draft.ts';
import { placeOf } from './key-rules.ts';
import { readGitWork, translateHook } from './translate-hook.ts';
import { agentSections, isMap, translateCaps, translateKeys } from './translate-keys.ts';
import { translatePrompt } from './translate-prompt.ts';

/** A workflow file of another system, read: front matter and prompt. */
export interface ForeignWorkflow {
  readonly values: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** What a person says of the new file; it goes before what the other one says. Values as the file has them. */
export interface Stated {
  readonly kind?: string | undefined;
  readonly project?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly repository?: string | undefined;
  readonly active?: readonly string[] | undefined;
  readonly inProgress?: string | null | undefined;
  readonly handoff?: string | null | undefined;
  readonly terminal?: readonly string[] | undefined;
  readonly base?: string | undefined;
  readonly command?: string | undefined;
}

/**
 * A workflow file of Symphony, of Sortie or of their kin as one of ours, and everything that a person has to know of it: keys
 * without a counterpart, variables that there are not. Whether the result is valid is for its own rules to say.
 */
export function translateWorkflow(
  { values, body }: ForeignWorkflow,
  stated: Stated = {},
): { readonly text: string; readonly notes: readonly Note[] } {
  const draft = new Draft();
  translateKeys(values, draft);
  leaveBoard(stated, draft);
  take(stated, draft);
  translateStates(draft, stated);
  translateCaps(draft);
  translateHooks(values, draft);
  translateAgent(values, draft, stated);
  const prompt = translatePrompt(body);
  const front = formatFront(draft);
  const firstLine = front.split('\n').length;
  const notes = prompt.notes.map(({ line, what, says }) => ({
    key: `line ${firstLine + line - 1}: ${what}`,
    says,
  }));
  return { text: `${front}${prompt.text}`, notes: [...draft.notes(), ...notes] };
}

function take(stated: Stated, draft: Draft): void {
  const paths = {
    kind: 'tracker.kind',
    project: 'tracker.project',
    endpoint: 'tracker.endpoint',
    active: 'tracker.active_states',
    inProgress: 'tracker.in_progress_state',
    handoff: 'tracker.handoff_state',
    terminal: 'tracker.terminal_states',
    repository: 'repository',
    base: 'base',
  } as const;
  for (const [key, path] of Object.entries(paths)) {
    const value = stated[key as keyof typeof paths];
    if (value === undefined) continue;
    draft.set(path, value);
    draft.forget(path);
  }
  const { repository } = stated;
  const isBoard = draft.get('tracker.kind') === 'github' && !draft.has('tracker.project');
  if (!isBoard || repository === undefined || !projectForms.github.form.test(repository)) return;
  draft.set('tracker.project', repository);
  draft.forget('tracker.project');
}

/** Where a board is, as the file says it, holds for a board of that kind only. */
function leaveBoard({ kind }: Stated, draft: Draft): void {
  const before = draft.get('tracker.kind');
  if (kind === undefined || before === undefined || kind === before) return;
  const vendorOf = (one: string) => one.split('-')[0];
  const isSameVendor = vendorOf(kind) === vendorOf(String(before));
  for (const path of ['tracker.project', ...(isSameVendor ? [] : ['tracker.endpoint'])]) {
    if (!draft.has(path)) continue;
    draft.delete(path);
    draft.note(
      path,
      `it was left out: it is that of a board of kind ${String(before)}, and this one is ${kind}`,
    );
  }
  // What to do about it is said for a board at Linear.
  draft.forget('tracker.project_slug');
}

/** Elsewhere agents move cards themselves, or nobody does; here it is always evenkeel, and an agent could not. */
function translateStates(draft: Draft, stated: Stated): void {
  if (draft.get('tracker.kind') === 'linear') {
    if (!draft.has('tracker.active_states')) draft.set('tracker.active_states', ['Todo', 'In Progress']);
    if (!draft.has('tracker.terminal_states'))
      draft.set('tracker.terminal_states', ['Closed', 'Cancelled', 'Canceled', 'Duplicate', 'Done']);
  }
  const active = draft.get('tracker.active_states');
  const names = Array.isArray(active) ? active.map(String) : [];
  if (names.length === 0 && stated.active === undefined)
    draft.note(
      'tracker.active_states',
      "the file names none, and what holds then differs: evenkeel's are `todo` and `in progress`; name yours",
    );
  if (!draft.has('tracker.in_progress_state')) {
    const { inProgress } = recognizeStates(names);
    draft.set('tracker.in_progress_state', inProgress ?? null);
    if (inProgress !== undefined)
      draft.note(
        'tracker.in_progress_state',
        `it is '${inProgress}' now: evenkeel itself moves the card there when a turn starts, and agents cannot; null writes nothing`,
      );
  }
  if (!draft.has('tracker.handoff_state')) {
    draft.set('tracker.handoff_state', null);
    draft.note(
      'tracker.handoff_state',
      'the file names none, so that finished work stays in its active state and gets turn after turn, until it is parked: name the state in which it waits for a person, here or with --handoff',
    );
  }
}

function translateHooks(values: ForeignWorkflow['values'], draft: Draft): void {
  const hooks = isMap(values.hooks) ? values.hooks : {};
  const scripts = Object.values(hooks).filter((one) => typeof one === 'string');
  for (const name of ['after_create', 'before_run', 'after_run']) {
    const path = `hooks.${name}`;
    const script = draft.get(path);
    if (typeof script !== 'string') continue;
    const { script: left, says } = translateHook(script);
    if (left === undefined) draft.delete(path);
    else draft.set(path, left);
    if (says !== undefined) draft.note(path, says);
  }
  const found = readGitWork(scripts);
  if (!draft.has('base') && found.base !== undefined && found.base !== 'main') draft.set('base', found.base);
  translateRepository(found.repository, draft);
}

/** Elsewhere a hook clones what agents work on. A repository whose issues are the board needs no word. */
function translateRepository(cloned: string | undefined, draft: Draft): void {
  const kind = String(draft.get('tracker.kind'));
  const own =
    Object.hasOwn(projectForms, kind) && projectForms[kind as keyof typeof projectForms].isRepository;
  const project = String(draft.get('tracker.project')).toLowerCase();
  const isProject = cloned
    ?.toLowerCase()
    .replace(/\.git$/, '')
    .replace(':', '/')
    .endsWith(`/${project}`);
  if (draft.has('repository') || (own && (cloned === undefined || isProject === true))) return;
  if (cloned !== undefined) {
    draft.set('repository', cloned);
    draft.note('repository', 'it is what the hook after_create cloned: evenkeel checks it out itself');
  } else
    draft.note(
      'repository',
      'the file does not say in plain words what agents work on: give owner/repo, a URL or a path, here or with --repo',
    );
}

function translateAgent(values: ForeignWorkflow['values'], draft: Draft, stated: Stated): void {
  const agent = isMap(values.agent) ? values.agent : {};
  const present = agentSections.filter((name) => isMap(values[name]));
  const kind = typeof agent.kind === 'string' ? agent.kind : (present[0] ?? 'claude-code');
  const section = values[kind];
  const program = kind === 'codex' && isMap(section) ? (section.command ?? agent.command) : agent.command;
  draft.set('agent.kind', 'command');
  const own = kind === 'command' && typeof agent.command === 'string' ? agent.command : undefined;
  const made = agentCommand(
    kind,
    typeof program === 'string' ? program : undefined,
    isMap(section) ? section : {},
  );
  const command = stated.command ?? own ?? made.command;
  if (command !== undefined) draft.set('agent.command', command);
  for (const name of present)
    if (name !== kind)
      draft.note(name, `it was left out: the agent of the file is ${kind}, and a board has one`);
  if (stated.command !== undefined || own !== undefined) return;
  draft.note(
    'agent.kind',
    command === undefined
      ? `evenkeel knows no way to run ${kind}: give a shell line that reads the prompt on its standard input, as agent.command or with --agent`
      : `${kind} is run by the shell line in agent.command, once for each turn, with the prompt on its standard input: see whether it is what you mean`,
  );
  for (const key of made.without.filter((one) => !/_timeout_ms$/.test(one)))
    draft.note(
      `${kind}.${key}`,
      'it was left out: no option of the command is known for it; add it to agent.command, or to the settings of the agent',
    );
}

/** Between two lines of `---`, with short lists on one line. */
function formatFront(draft: Draft): string {
  const front = new Document(draft.nest(placeOf), { aliasDuplicateObjects: false });
  visit(front, {
    Seq(_, list) {
      list.flow = list.items.every((item) => isScalar(item) && String(item.value).length < 30);
    },
  });
  return `---\n${front.toString({ lineWidth: 0, flowCollectionPadding: false })}---\n`;
}
