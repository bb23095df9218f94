import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { codeHostOf, isHostedName } from '../../adapters/github/endpoint.ts';
import { projectForms } from '../../core/workflow-schema.ts';
import { type Checkout, findCheckout } from '../../host/find-checkout.ts';
import type { Asker } from './asker.ts';
import type { InitOptions } from './init-options.ts';

export type BoardKind = 'local' | 'github' | 'github-project';

/** Which board, and where its agents work. Paths are relative to the workflow file. */
export interface BoardAnswers {
  readonly kind: BoardKind;
  readonly project: string;
  readonly endpoint: string | undefined;
  /** Undefined where the project is the repository. */
  readonly repository: string | undefined;
  /** The folder of a local board that is not laid out yet. */
  readonly newFolder: string | undefined;
  /** The branch that seems to be the one that work starts from. */
  readonly suggestedBase: string;
}

/** Asks for the board and the repository. `file` is the workflow file to be. */
export async function askBoard(
  asker: Asker,
  options: InitOptions,
  cwd: string,
  file: string,
): Promise<BoardAnswers> {
  const codeHost = codeHostOf(options.endpoint);
  const here = await findCheckout(cwd, codeHost);
  const kind = await askKind(asker, options, here);
  const project = await askProject(asker, options, kind, here);
  const named = await askRepository(asker, options, kind, project, here);
  const path = named === undefined || !isPath(named, cwd) ? undefined : resolve(cwd, named);
  const fromFile = (name: string) => relative(dirname(file), resolve(cwd, name)) || '.';
  const there = path === undefined ? here : await findCheckout(path, codeHost);
  const isHere = path !== undefined || here?.hosted?.toLowerCase() === (named ?? project).toLowerCase();
  const base = path === undefined ? (there?.originBase ?? there?.branch) : there?.branch;
  const folder = resolve(cwd, project);
  return {
    kind,
    project: kind === 'local' ? fromFile(project) : project,
    endpoint: options.endpoint,
    repository: path === undefined ? named : fromFile(path),
    newFolder: kind === 'local' && !existsSync(join(folder, 'board.yaml')) ? folder : undefined,
    suggestedBase: (isHere ? base : undefined) ?? 'main',
  };
}

async function askKind(asker: Asker, options: InitOptions, here: Checkout | undefined): Promise<BoardKind> {
  if (options.kind === 'linear')
    throw new Error(
      'Boards at Linear are not built yet. This version serves local, github and github-project.',
    );
  return asker.one<BoardKind>({
    option: '--kind <kind>',
    message: 'Where is the board?',
    given: options.kind,
    suggested: here?.hosted === undefined ? undefined : 'github',
    choices: [
      { value: 'github', name: 'GitHub: the issues of a repository, with labels as states' },
      { value: 'github-project', name: 'GitHub: a project, with the columns of its Status field' },
      { value: 'local', name: 'A folder of Markdown issues on this machine' },
      // Shown, so that nobody looks for it in vain.
      { value: 'local', name: 'Linear', disabled: '(not built yet)' },
    ],
  });
}

async function askProject(
  asker: Asker,
  options: InitOptions,
  kind: BoardKind,
  here: Checkout | undefined,
): Promise<string> {
  const { form, words } = projectForms[kind];
  const suggested = { github: here?.hosted, 'github-project': undefined, local: 'issues' }[kind];
  const ownRepository = kind === 'github' && options.repo !== undefined && isHostedName(options.repo);
  const project = await asker.text({
    option: `--project <${kind === 'local' ? 'folder' : words.split(',')[0]}>`,
    message: {
      github: 'Which repository? (owner/repo)',
      'github-project': "Which project? (owner/number, the number from the project's address)",
      local: 'Which folder are the issues in?',
    }[kind],
    given: options.project ?? (ownRepository ? options.repo : undefined),
    suggested,
    check: (text) => form.test(text) || `It is ${words}.`,
  });
  if (form.test(project)) return project;
  throw new Error(`--project of a board of kind ${kind} is ${words}; it is "${project}".`);
}

async function askRepository(
  asker: Asker,
  options: InitOptions,
  kind: BoardKind,
  project: string,
  here: Checkout | undefined,
): Promise<string | undefined> {
  if (kind === 'github') return options.repo === project ? undefined : options.repo;
  const suggested = kind === 'local' ? here && '.' : here?.hosted;
  return asker.text({
    option: '--repo <repository>',
    message:
      kind === 'local'
        ? 'Which repository do agents work in? (a path, owner/repo, or a URL)'
        : 'Whose issues count, and where do agents work? (owner/repo)',
    given: options.repo,
    suggested,
  });
}

/** What is there as a folder is meant as one, as `validate` and `start` understand it. */
function isPath(name: string, cwd: string): boolean {
  return !/^[a-z][a-z0-9+.-]*:\/\//i.test(name) && existsSync(resolve(cwd, name));
}
