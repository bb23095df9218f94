import { describeTracker } from '../../contracts/describe-tracker.ts';
import { makeLabelWorld } from '../../support/github/label-world.ts';

describeTracker('a board of labels at GitHub', () => makeLabelWorld());
describeTracker('the same through an app', () =>
  makeLabelWorld({ viewer: { login: 'evenkeel[bot]', kind: 'Bot' } }),
);
