import { runTurn } from '../../lib/turn/run-turn.ts';
import { timing } from '../../lib/turn/timing.ts';

process.chdir('/');
// The turn program with less patience, for tests of what patience ends in.
process.exit(await runTurn(process.env, { ...timing, ...JSON.parse(process.env.HASTY_TIMING ?? '{}') }));
