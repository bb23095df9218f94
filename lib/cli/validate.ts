import { readFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { type Problem, resolveContract } from '../core/contract.ts';
import type { TrackerState } from '../core/issue.ts';
import { roughWorkflow } from '../core/rough-workflow.ts';
import { describeStray } from '../core/strays.ts';
import { parseWorkflow, type Workflow } from '../core/workflow.ts';
import { isLocal } from '../host/board-place.ts';
import { checkBase } from '../host/check-base.ts';
import { connectTracker } from '../host/connect-tracker.ts';
import { findWorkflows } from '../host/find-workflows.ts';
import { placeWorkflow } from '../host/read-workflow.ts';
import { checkPrompt } from './check-prompt.ts';
import { type CliContext, type Colors, colorsOf, writeText } from './cli-context.ts';
import { addCommand, type Cli, dataOption, run } from './command.ts';
import { formatJson, harmlessLine } from './harmless-text.ts';
import { formatTable } from './text-table.ts';
import { dataDirOf, type Target } from './with-operations.ts';

interface Validation {
  readonly file: string;
  readonly valid: boolean;
  readonly problems: readonly Problem[];
  /** Issues of the board that no column shows, or that cannot be understood. They keep nothing from being served. */
  readonly warnings: readonly Problem[];
  /** Whether the board's own states were read too. */
  readonly live: boolean;
}

/** `validate [FILE]`: the rules of a workflow file, then the board's own word. */
export function addValidate(cli: Cli): void {
  addCommand(cli, {
    name: 'validate',
    summary: 'check a workflow file, and its states against the board',
    description:
      'Checks a workflow file by its own rules, its prompt with a sample issue, its states against those of the board, and the base branch of a repository on this machine. What `start` would refuse fails here. Every problem is told at once, with its rule and field; one is enough to fail. Issues of a local board that cannot be understood, or stand in no state of it, are told and fail nothing.',
    examples: ['evenkeel validate', 'evenkeel validate path/WORKFLOW.md --json'],
  })
    .argument('[file]', 'the workflow file; without it WORKFLOW.md in the current folder, else the example')
    .addOption(dataOption())
    .action(run(cli, (file: string | undefined, options) => validate(cli, file, options)));
}

async function validate(
  { context }: Cli,
  file: string | undefined,
  options: Target & { readonly json?: boolean },
): Promise<0 | 1> {
  const files = await filesToCheck(context, file, options);
  const found = await Promise.all(files.map(validateFile));
  const valid = found.every((one) => one.valid);
  const colors = colorsOf(context.stdout);
  const text = options.json
    ? formatJson({ valid, files: found })
    : found.map((one) => renderValidation(one, context.cwd, colors)).join('\n');
  writeText(context.stdout, text);
  return valid ? 0 : 1;
}

async function filesToCheck(
  { cwd }: CliContext,
  file: string | undefined,
  options: Target,
): Promise<readonly string[]> {
  if (file !== undefined) return [resolve(cwd, file)];
  const { files } = await findWorkflows({ given: [], cwd, dataDir: dataDirOf(cwd, options) });
  if (files.length > 0) return files;
  throw new Error('There is no WORKFLOW.md in this folder. Name one: `evenkeel validate path/WORKFLOW.md`.');
}

async function validateFile(file: string): Promise<Validation> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(
      `${file} cannot be read (${error.code ?? error.message}). Name a workflow file that can.`,
    );
  });
  const parsed = parseWorkflow(text, file);
  if ('problems' in parsed) {
    const rough = roughWorkflow(text, file);
    const further = rough && (await checkAround(file, rough.workflow));
    const problems = [...parsed.problems, ...(further?.problems.filter(rough!.isNews) ?? [])];
    return { file, valid: false, problems, warnings: further?.warnings ?? [], live: further?.live ?? false };
  }
  const found = await checkAround(file, parsed.workflow);
  return { file, valid: found.problems.length === 0, ...found };
}

/** What the machine, the repository, the board and a sample issue say of a workflow. */
async function checkAround(
  file: string,
  workflow: Workflow,
): Promise<Pick<Validation, 'problems' | 'warnings' | 'live'>> {
  const placed = await placeWorkflow(workflow, dirname(file));
  // A board that cannot be asked is told once: a folder that is missing by the board, a token by the machine.
  const place = 'problems' in placed ? missingFolder(file, workflow) : placed.place;
  const problems = [
    ...('problems' in placed ? placed.problems.filter(({ rule }) => rule !== 'project-exists') : []),
    ...(await checkBase(workflow, dirname(file))),
    ...(place === undefined
      ? []
      : await checkBoard(place, workflow, 'problems' in placed ? undefined : placed.repository)),
    ...checkPrompt(workflow),
  ];
  const warnings = isLocal(workflow) ? await checkIssues(file, workflow) : [];
  return { problems, warnings, live: place !== undefined };
}

function missingFolder(file: string, workflow: Workflow): string | undefined {
  return isLocal(workflow) ? resolve(dirname(file), workflow.tracker.project) : undefined;
}

/** Issues that a tick would only wait for: nobody finds them in a column. A board that cannot be read is told elsewhere. */
async function checkIssues(file: string, workflow: Workflow): Promise<readonly Problem[]> {
  const folder = resolve(dirname(file), workflow.tracker.project);
  try {
    const board = connectTracker(workflow, folder);
    const names = (await board.states()).map(({ name }) => name);
    const { broken, strays = [] } = await board.list(names);
    return [
      ...broken.map(({ key, problem }) => ({ rule: 'issue-broken', path: `${key}.md`, message: problem })),
      ...strays.map(({ key, state }) => ({
        rule: 'issue-state',
        path: `${key}.md`,
        message: describeStray(state, names),
      })),
    ];
  } catch {
    return [];
  }
}

/** The rules that only the board can answer. A board that does not tell its states is a problem of its own. */
async function checkBoard(
  place: string,
  workflow: Workflow,
  repository: string | undefined,
): Promise<readonly Problem[]> {
  let states: readonly TrackerState[];
  try {
    states = await connectTracker(workflow, place, repository).states();
  } catch (error) {
    const message = `the states of the board could not be read: ${(error as Error).message}`;
    return [{ rule: 'state-exists', path: 'tracker.project', message }];
  }
  const live = resolveContract(workflow, states, undefined);
  return live.valid ? [] : live.problems;
}

function renderValidation(
  { file, valid, problems, warnings }: Validation,
  cwd: string,
  colors: Colors,
): string {
  const name = harmlessLine(relative(cwd, file) || file);
  const notes = renderRows(warnings, colors.yellow);
  if (valid) {
    const head = `${colors.green('valid')}    ${name}: its rules hold, and the board has all of its states`;
    return [head, ...notes].join('\n');
  }
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  const head = `${colors.red('invalid')}  ${name}: ${count}`;
  return [head, ...renderRows(problems, colors.red), ...notes].join('\n');
}

function renderRows(problems: readonly Problem[], color: (text: string) => string): readonly string[] {
  const rows = formatTable(
    problems.map(({ rule, path, message }) => [rule, path, message].map(harmlessLine)),
    (cell, column) => (column === 0 ? color(cell) : cell),
  );
  return rows.map((row) => `  ${row}`);
}
