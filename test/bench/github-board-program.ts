import { makeLabelWorld } from '../support/github/label-world.ts';
import { makeProjectWorld } from '../support/github/project-world.ts';

/**
 * A GitHub server in a process of its own, so that its processor time is not taken for that of the tick. Its arguments are
 * the kind of the board, the number of open issues and how many of them are active. It says where it is, and answers every
 * message with what it was asked since the one before.
 */
export interface ServedBoard {
  readonly endpoint: string;
  readonly token: string;
}

export interface Served {
  readonly requests: number;
  readonly points: number;
  readonly bytes: number;
}

const [kind, issues, active] = process.argv.slice(2);
const world = await (kind === 'labels' ? labels : cards)(Number(issues), Number(active));
const { endpoint, token, log } = world.server;

let told = 0;
process.on('message', () => {
  const since = log.slice(told);
  told = log.length;
  const served: Served = {
    requests: since.length,
    points: since.reduce((sum, { points }) => sum + points, 0),
    bytes: since.reduce((sum, { bytes }) => sum + bytes, 0),
  };
  process.send!(served);
});
process.send!({ endpoint, token } satisfies ServedBoard);

async function labels(all: number, wanted: number) {
  const made = await makeLabelWorld();
  const { state } = made.server;
  for (let n = 0; n < all; n += 1) {
    const names = ['bug', 'agent', n < wanted ? 'Todo' : n % 2 === 0 ? 'Backlog' : 'In Review'];
    const issue = state.addIssue(made.repository, made.alice.account, { title: `Issue ${n}`, labels: names });
    issue.updatedAt -= 3_600_000;
  }
  return made;
}

async function cards(all: number, wanted: number) {
  const made = await makeProjectWorld();
  for (let n = 0; n < all; n += 1) {
    const { issue } = made.addCard(n < wanted ? 'Todo' : n % 2 === 0 ? 'Backlog' : 'In Review');
    issue.title = `Issue ${n}`;
  }
  return made;
}
