import { processContext } from '../lib/cli/cli-context.ts';
import { runProgram } from '../lib/cli/run-program.ts';

// Whoever reads the output may be gone: `evenkeel plan | head -1` is no failure, and a lost line of a log ends no host.
process.stdout.on('error', () => process.exit(0));
process.stderr.on('error', () => undefined);

process.exitCode = await runProgram(process.argv.slice(2), processContext());
