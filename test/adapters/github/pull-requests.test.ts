import { describePullRequests } from '../../contracts/describe-pull-requests.ts';
import { makePullRequestsWorld } from '../../support/github/pull-requests-world.ts';

describePullRequests('pull requests at GitHub', makePullRequestsWorld);
