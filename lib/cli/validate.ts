import { readFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { findWorkflows } from '../host/find-workflows.ts';
import { checkWorkflow, type Findings, rulesOfReach } from './check-workflow.ts';
import { type CliContext, type Colors, colorsOf, writeText } from './cli-context.ts';
import { addCommand, type Cli, dataOption, run } from './command.ts';
import { formatJson, harmlessLine } from './harmless-text.ts';
import { renderProblems } from './problem-rows.ts';
import { dataDirOf, type Target } from './with-operations.ts';

interface Validation extends Findings {
  readonly file: string;
  readonly valid: boolean;
}

/** `validate [FILE]`: the rules of a workflow file, then the board's own word. */
export function addValidate(cli: Cli): void {
  addCommand(cli, {
    name: 'validate',
    summary: 'check a workflow file, and its states against the board',
    description:
      'Checks a workflow file by its own rules, its prompt with a sample issue, its states against those of the board, and the branch that work starts from, in a repository elsewhere by the access that turns would have. What `start` would refuse fails here. Every problem is told at once, with its rule and field; one is enough to fail. Issues of a local board that cannot be understood, or stand in no state of it, are told and fail nothing, and neither does a repository that this machine does not get to.',
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
  const findings = await checkWorkflow(file, text);
  return { file, valid: findings.problems.length === 0, ...findings };
}

function renderValidation(
  { file, valid, problems, warnings }: Validation,
  cwd: string,
  colors: Colors,
): string {
  const name = harmlessLine(relative(cwd, file) || file);
  const notes = renderProblems(warnings, colors.yellow);
  if (valid) {
    const held = `${colors.green('valid')}    ${name}: its rules hold, and the board has all of its states`;
    const count = warnings.length === 1 ? '1 warning' : `${warnings.length} warnings`;
    return [warnings.length === 0 ? held : `${held}; ${count}`, ...notes].join('\n');
  }
  if (problems.every(({ rule }) => rulesOfReach.includes(rule))) {
    const head = `${colors.yellow('unknown')}  ${name}: its own rules hold, and nothing is known of its board`;
    return [head, ...renderProblems(problems, colors.yellow), ...notes].join('\n');
  }
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  const head = `${colors.red('invalid')}  ${name}: ${count}`;
  return [head, ...renderProblems(problems, colors.red), ...notes].join('\n');
}
