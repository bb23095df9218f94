import { join, relative, resolve } from 'node:path';
import { Option } from 'commander';
import { stringify } from 'yaml';
import { checkWorkflow } from './check-workflow.ts';
import { type CliContext, colorsOf, writeText } from './cli-context.ts';
import { addCommand, type Cli, type ExitCode, run, webAddress } from './command.ts';
import { commandsFor } from './commands-for.ts';
import { formatJson, harmlessBlock, harmlessLine } from './harmless-text.ts';
import { LeftError, makeAsker, UnansweredError } from './init/asker.ts';
import type { InitOptions } from './init/init-options.ts';
import { type Interview, interview } from './init/interview.ts';
import { layFile, refuseExisting, takeAway } from './init/lay-file.ts';
import { translateFile } from './init/translate-file.ts';
import { renderProblems } from './problem-rows.ts';

/** `init`: writes a workflow file from answers and the board's own states. */
export function addInit(cli: Cli): void {
  addCommand(cli, {
    name: 'init',
    summary: 'write a workflow file for your board',
    description:
      'Asks where the board is, reads the states that it really has, asks what they are for, which repository agents work in and which program is the agent, and writes a workflow file that `validate` accepts. Each question can be answered by an option; without a terminal all have to be, or --yes takes what is suggested. A board at GitHub is read with GITHUB_TOKEN, or as a GitHub App. Nothing is written on a board at GitHub; a local one that is not there yet gets its board.yaml. With --from it translates a workflow file of Symphony or Sortie instead, and lists what has no counterpart.',
    examples: [
      'evenkeel init',
      'evenkeel init --kind github --repo acme/web --active todo "in progress" --handoff "in review" --yes',
      'evenkeel init --kind local --project issues --repo . --yes',
      'evenkeel init --from symphony/WORKFLOW.md --repo acme/web',
    ],
  })
    .option('--from <file>', 'translate this workflow file of Symphony or Sortie')
    .option('--output <file>', 'the workflow file to write', 'WORKFLOW.md')
    .option('--force', 'replace the file where it is there already', false)
    .option('--yes', 'take what is suggested wherever no option answers', false)
    .addOption(
      new Option('--kind <kind>', 'where the board is').choices([
        'local',
        'github',
        'github-project',
        'linear',
      ]),
    )
    .option('--project <name>', 'the board: a folder, owner/repo, or owner/number of a project')
    .option(
      '--repo <repository>',
      'where agents work: owner/repo, a URL, or a path; with --kind github also the board',
    )
    .addOption(
      new Option(
        '--endpoint <address>',
        "base of the tracker's API, where it is not the vendor's own (Enterprise)",
      ).argParser(webAddress),
    )
    .option('--states <states...>', 'the states of a local board that is not there yet, in their order')
    .option('--active <states...>', 'states in which an agent should be at work')
    .option('--in-progress <state>', 'the active state that is written when a turn starts')
    .option('--no-in-progress', 'write no state when a turn starts')
    .option('--handoff <state>', 'the state that is written when a turn has ended and a person is next')
    .option('--no-handoff', 'write no state when a turn has ended')
    .option('--terminal <states...>', 'states that end an issue')
    .option('--no-terminal', 'only closing ends an issue')
    .option('--base <branch>', 'the branch that work starts from')
    .option('--agent <command>', 'the shell line that is the agent; it gets the prompt on its standard input')
    .action(run(cli, (options: InitOptions) => init(cli, options)));
}

async function init({ context, program }: Cli, options: InitOptions): Promise<ExitCode> {
  const file = resolve(context.cwd, options.output);
  const shown = harmlessLine(relative(context.cwd, file) || file);
  await refuseExisting(file, shown, options.force === true);
  const { from } = options;
  if (from !== undefined) return translateFile(context, { ...options, from }, file);
  try {
    const asked = await interview(makeAsker(context, options.yes === true), options, {
      cwd: context.cwd,
      file,
      tell: (text) => writeText(context.stderr, harmlessBlock(text)),
    });
    return await layOut(context, options, { ...asked, file, shown });
  } catch (error) {
    if (error instanceof UnansweredError) program.error(harmlessBlock(error.message), { exitCode: 2 });
    if (!(error instanceof LeftError)) throw error;
    writeText(context.stderr, 'Ended. Nothing was written.');
    return 1;
  }
}

/** Checks the file against its own rules, this machine and the board, and writes it only if all of them hold. */
async function layOut(
  { cwd, stdout }: CliContext,
  { force = false, json }: InitOptions,
  { text, states, newFolder, file, shown }: Interview & { readonly file: string; readonly shown: string },
): Promise<ExitCode> {
  const colors = colorsOf(stdout);
  const { problems } = await checkWorkflow(file, text, states);
  const valid = problems.length === 0;
  const board = newFolder === undefined ? undefined : join(newFolder, 'board.yaml');
  if (valid) {
    if (board !== undefined) await layFile(board, boardFile(states.map(({ name }) => name)), false);
    await layFile(file, text, force).catch(async (error) => {
      if (board !== undefined) await takeAway(board);
      throw error;
    });
  }
  const made = valid && board !== undefined ? [board] : [];
  if (json) writeText(stdout, formatJson({ file, written: valid, valid, problems, made }));
  else if (!valid) {
    const head = `${colors.red('invalid')}  ${shown} was not written:`;
    writeText(stdout, [head, ...renderProblems(problems, colors.red)].join('\n'));
  } else {
    const wrote = `${colors.green('written')}  ${shown}: its rules hold, and the board has all of its states`;
    const laid = made.map((path) => `${colors.green('written')}  ${harmlessLine(relative(cwd, path))}`);
    writeText(stdout, [wrote, ...laid, '', nextSteps(cwd, file, shown)].join('\n'));
  }
  return valid ? 0 : 1;
}

function boardFile(states: readonly string[]): string {
  const list = stringify(states, {
    collectionStyle: 'flow',
    lineWidth: 0,
    flowCollectionPadding: false,
  });
  return `# The columns of this board, in their order. An issue is a file such as WEB-1.md, with a title and a state.\nstates: ${list}`;
}

function nextSteps(cwd: string, file: string, shown: string): string {
  const command = commandsFor(file === join(cwd, 'WORKFLOW.md') ? {} : { workflow: [shown] });
  return [
    'Read it through, then:',
    `  ${command('plan')}    what would start, and why the rest would not`,
    `  ${command('start')}   keep agents level with the board`,
  ].join('\n');
}
