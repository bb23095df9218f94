import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { parseDocument, visit } from 'yaml';
import { readFrontMatter } from '../../core/front-matter.ts';
import { checkWorkflow } from '../check-workflow.ts';
import { type CliContext, colorsOf, writeText } from '../cli-context.ts';
import type { ExitCode } from '../command.ts';
import { formatJson, harmlessLine } from '../harmless-text.ts';
import { renderProblems } from '../problem-rows.ts';
import { formatTable } from '../text-table.ts';
import type { Note } from '../translate/draft.ts';
import { type Stated, translateWorkflow } from '../translate/translate-workflow.ts';
import type { InitOptions } from './init-options.ts';
import { layFile } from './lay-file.ts';

/**
 * `init --from`: writes the translation, tells what has no counterpart, and which problems remain. The file is written in any
 * case, because the rest of the work is done in it; with problems the command fails.
 */
export async function translateFile(
  context: CliContext,
  options: InitOptions & { readonly from: string },
  file: string,
): Promise<ExitCode> {
  const { cwd, stdout, stderr } = context;
  const source = resolve(cwd, options.from);
  const { text, notes } = translateText(await readSource(source), options.from, statedBy(options, cwd, file));
  await layFile(file, text, options.force === true);
  const { problems } = await checkWorkflow(file, text);
  const valid = problems.length === 0;
  if (options.json) writeText(stdout, formatJson({ file, written: true, valid, problems, notes }));
  else {
    if (notes.length > 0) writeText(stderr, renderNotes(notes, options.from, colorsOf(stderr).yellow));
    writeText(stdout, renderResult(harmlessLine(relative(cwd, file) || file), problems, colorsOf(stdout)));
  }
  return valid ? 0 : 1;
}

async function readSource(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(
      `${path} cannot be read (${error.code ?? error.message}). Name a workflow file that can.`,
    );
  });
}

function translateText(
  text: string,
  name: string,
  stated: Stated,
): { readonly text: string; readonly notes: readonly Note[] } {
  const read = readFrontMatter(text, name);
  if ('problems' in read)
    throw new Error(`${read.problems.map(({ message }) => message).join('\n')}\nNothing was written.`);
  const translated = translateWorkflow(read, stated);
  const front = text
    .split('\n')
    .slice(1, read.bodyLine - 2)
    .join('\n');
  const comments = { key: 'comments', says: 'those between the two lines of --- are not in the new file' };
  return hasComments(front) ? { ...translated, notes: [...translated.notes, comments] } : translated;
}

function hasComments(yaml: string): boolean {
  let found = false;
  const document = parseDocument(yaml, { logLevel: 'silent' });
  visit(document, {
    Node(_, node) {
      found ||= Boolean(node.comment ?? node.commentBefore);
    },
  });
  return found || Boolean(document.comment ?? document.commentBefore);
}

/** Paths are the shell's on the command line, and relative to the file within it. */
function statedBy(options: InitOptions, cwd: string, file: string): Stated {
  const orNull = (state: string | false | undefined) => (state === false ? null : state);
  const fromFile = (path: string) => relative(dirname(file), resolve(cwd, path)) || '.';
  const { repo, project, kind } = options;
  const isPath =
    repo !== undefined && !/^[a-z][a-z0-9+.-]*:\/\//i.test(repo) && existsSync(resolve(cwd, repo));
  return {
    kind,
    project: project !== undefined && kind === 'local' ? fromFile(project) : project,
    endpoint: options.endpoint,
    repository: isPath ? fromFile(repo) : repo,
    active: options.active,
    inProgress: orNull(options.inProgress),
    handoff: orNull(options.handoff),
    terminal: options.terminal === false ? [] : options.terminal,
    base: options.base,
    command: options.agent,
  };
}

function renderNotes(notes: readonly Note[], source: string, color: (text: string) => string): string {
  const rows = formatTable(
    notes.map(({ key, says }) => [harmlessLine(key), harmlessLine(says)]),
    (cell, column) => (column === 0 ? color(cell) : cell),
  );
  return [`What of ${harmlessLine(source)} is not the same here:`, ...rows.map((row) => `  ${row}`), ''].join(
    '\n',
  );
}

function renderResult(
  shown: string,
  problems: Parameters<typeof renderProblems>[0],
  colors: ReturnType<typeof colorsOf>,
): string {
  const written = `${colors.green('written')}  ${shown}`;
  if (problems.length === 0) return `${written}: its rules hold, and the board has all of its states`;
  const remain = problems.length === 1 ? 'a problem that remains' : `${problems.length} problems that remain`;
  const head = `${written}, with ${remain}; mend the file, and run \`evenkeel validate\`:`;
  return [head, ...renderProblems(problems, colors.red)].join('\n');
}
