import { describeTracker } from '../../contracts/describe-tracker.ts';
import { makeProjectWorld } from '../../support/github/project-world.ts';

describeTracker('a project of an organisation at GitHub', () => makeProjectWorld());
describeTracker('the same through an app', () =>
  makeProjectWorld({ viewer: { login: 'evenkeel[bot]', kind: 'Bot' } }),
);
