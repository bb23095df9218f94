import { runTurn } from '../lib/turn/run-turn.ts';
import { timing } from '../lib/turn/timing.ts';

// The turn's folder may be removed under its turn, and nothing can be started from a folder that is gone.
process.chdir('/');

try {
  process.exit(await runTurn(process.env, timing));
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(40);
}
