import type { Problem } from '../core/contract.ts';
import { parseWorkflow, type Workflow } from '../core/workflow.ts';
import { DeploymentProblem } from './deployment-problem.ts';
import { checkTaskSize } from './task-sizes.ts';

/** A workflow file as it was read: how it is called in messages, and its text. */
export interface WorkflowSource {
  readonly source: string;
  readonly text: string;
}

/** Workflow files that cannot be deployed: each with every problem at once, in the words of the contract's own rules. */
export class WorkflowProblems extends DeploymentProblem {
  override readonly name = 'WorkflowProblems';
  readonly files: readonly { readonly source: string; readonly problems: readonly Problem[] }[];

  constructor(files: WorkflowProblems['files']) {
    super(
      files
        .map(({ source, problems }) =>
          [`${source} cannot be deployed:`, ...problems.map(describeProblem)].join('\n  '),
        )
        .join('\n'),
    );
    this.files = files;
  }
}

/** The workflows of a deployment, in the order of their files. Throws `WorkflowProblems`. */
export function readWorkflows(sources: readonly WorkflowSource[]): readonly Workflow[] {
  if (sources.length === 0)
    throw new DeploymentProblem('There is no workflow file to deploy; name at least one.');
  const read = sources.map(({ source, text }) => ({ source, ...readOne(text, source) }));
  const broken = read.filter(({ problems }) => problems.length > 0);
  const twice = findTwice(read);
  if (broken.length > 0 || twice.length > 0) throw new WorkflowProblems([...broken, ...twice]);
  return read.flatMap(({ workflow }) => workflow ?? []);
}

function readOne(
  text: string,
  source: string,
): { readonly workflow?: Workflow; readonly problems: readonly Problem[] } {
  const parsed = parseWorkflow(text, source);
  if ('problems' in parsed) return parsed;
  const { workflow } = parsed;
  const problems = [...checkKind(workflow), ...checkReach(workflow), ...checkTaskSize(workflow.agent.task)];
  return { workflow, problems };
}

/** A board that the functions cannot serve would make every tick fail. */
function checkKind({ tracker: { kind } }: Workflow): readonly Problem[] {
  if (kind !== 'linear') return [];
  const message =
    'a deployment of this version serves boards of the kinds github and github-project, and none of kind linear';
  return [{ rule: 'kind-supported', path: 'tracker.kind', message }];
}

/** A folder of issues is on somebody's machine, where no function can read it. */
function checkReach({ tracker, repository }: Workflow): readonly Problem[] {
  const local: readonly Problem[] =
    tracker.kind !== 'local'
      ? []
      : [
          {
            rule: 'board-reachable',
            path: 'tracker.kind',
            message:
              'a board of kind local is a folder, which a deployment cannot read; serve it with `evenkeel start`, or name a board of another kind',
          },
        ];
  if (!/^(\.|\/|~|file:)/.test(repository)) return local;
  const message = `repository "${repository}" is a path, which a deployment cannot reach; give owner/repo or a URL`;
  return [...local, { rule: 'repository-reachable', path: 'repository', message }];
}

/** Two policies for one board would undo each other's moves. */
function findTwice(
  read: readonly { readonly source: string; readonly workflow?: Workflow }[],
): WorkflowProblems['files'] {
  const boards = read.map(({ workflow }) => workflow && nameBoard(workflow));
  return read.flatMap(({ source }, at) => {
    const first = boards.indexOf(boards[at]);
    if (boards[at] === undefined || first === at) return [];
    const message = `the board ${boards[at]} is served by ${read[first]?.source} already; a board has one workflow file`;
    return [{ source, problems: [{ rule: 'board-once', path: 'tracker.project', message }] }];
  });
}

function nameBoard({ tracker }: Workflow): string {
  return [tracker.endpoint ?? '', tracker.kind, tracker.project.toLowerCase()].filter(Boolean).join(' ');
}

function describeProblem({ rule, path, message }: Problem): string {
  return path === '' ? `${rule}: ${message}` : `${rule} at ${path}: ${message}`;
}
