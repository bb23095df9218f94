import { describeTracker } from '../../contracts/describe-tracker.ts';
import { makeLocalBoard } from './local-board-world.ts';

describeTracker('the local board', makeLocalBoard);
