import { runTurn } from '../lib/turn/run-turn.ts';
import { timing } from '../lib/turn/timing.ts';

try {
  process.exit(await runTurn(process.env, timing));
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(40);
}
