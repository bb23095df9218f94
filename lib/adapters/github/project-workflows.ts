import * as z from 'zod';
import { demandWhole, type GitHubClient, type Operation } from './github-client.ts';
import { type ProjectAddress, variablesOf } from './project-address.ts';

const workflowsSchema = z.object({
  repositoryOwner: z.object({
    projectV2: z.object({
      workflows: z.object({
        nodes: z.array(z.object({ name: z.string(), enabled: z.boolean() }).nullable()),
      }),
    }),
  }),
});

/** A project has about a dozen at most. The column that one moves cards to is not told. */
const readWorkflows: Operation<z.output<typeof workflowsSchema>> = {
  text: `query ReadWorkflows($owner: String!, $number: Int!) {
  repositoryOwner(login: $owner) {
    ... on ProjectV2Owner { projectV2(number: $number) { workflows(first: 100) { nodes { name enabled } } } }
  }
}`,
  data: workflowsSchema,
};

const movesPullRequests = 'it moves the cards of pull requests, which are no issues here';
const countsAsPerson = 'that counts as the move of a person, so switch it off where it is not meant';

/**
 * What those that the vendor has ready do to a board here, by their names:
 * https://docs.github.com/issues/planning-and-tracking-with-projects/automating-your-project/using-the-built-in-automations
 */
const effects: Readonly<Record<string, string>> = {
  'auto-add sub-issues to project': `sub-issues come onto the board by themselves, and start where that leads into an active column; ${countsAsPerson}`,
  'auto-add to project': `issues come onto the board by themselves, and start where that leads into an active column; ${countsAsPerson}`,
  'auto-archive items': 'a card that it archives stands in no column any more, and a turn on it is stopped',
  'auto-close issue':
    'a card that comes into the column that it names closes its issue, which is final, also where evenkeel moves it there',
  'code changes requested': movesPullRequests,
  'code review approved': movesPullRequests,
  'item added to project': `a new card comes into the column that it names, and starts where that is active, whoever added it; ${countsAsPerson}`,
  'item closed':
    'it moves the card of a closed issue, which changes nothing here: closed is final whatever the column',
  'item reopened': `a reopened issue comes into the column that it names, and starts where that is active, whoever reopened it; ${countsAsPerson}`,
  'pull request linked to issue': `an issue comes into the column that it names when a pull request is linked to it, also by a turn, and starts again where that is active; ${countsAsPerson}`,
  'pull request merged': movesPullRequests,
};
const anyEffect = `it may move, archive or close by itself; ${countsAsPerson}`;

/** Each of the project's own automations that is switched on, and what follows from it. Throws a `GitHubError`. */
export async function describeWorkflows(
  client: GitHubClient,
  address: ProjectAddress,
): Promise<readonly string[]> {
  const { owner, number } = variablesOf(address);
  const { data, errors } = await client.query(readWorkflows, { owner, number }, 'survey');
  demandWhole(errors);
  return data.repositoryOwner.projectV2.workflows.nodes
    .filter((one) => one?.enabled === true)
    .map((one) => {
      const effect = effects[one!.name.trim().toLowerCase()] ?? anyEffect;
      return `the project's own workflow "${one!.name}" is on: ${effect}`;
    });
}
